// What a response means. Only reorderd decides about data: a proxy, a hotel's login page or another program at the same address can answer
// in its place, and then the request is sent again later. docs/sync.md has this table.
//
// The kinds of requests: `read` (the document or changes of a list), `write` (a request whose caller waits for the response), `step` (steps
// that wait), and `stream`. The actions:
// - `done`: use the response
// - `wait`: keep everything, and send the same request again after a pause
// - `signIn`: keep everything that waits, until there is another token
// - `gone`: the list does not exist. Keep everything that waits, because the list can be restored
// - `readAgain`: fetch the document
// - `split`: send fewer steps. If there is only one, it is refused; if the answer is not of reorderd, it waits
// - `refuse`: the request is refused, for the reason in the response

/** The statuses with which the server asks for a later retry. */
const temporary = [408, 425, 429];
/** The statuses for a body that is too large, or has a fault. */
const ofBodies = [400, 413, 422];

/**
 * @param kind the kind of the request
 * @param response its `status`, its media type (`type`) and its `text`. The text of a stream that was opened is not needed
 * @param isDocumented whether a document has the form that openapi.yaml describes for this request
 * @returns the `action`, and the `document`: the response of a request that is done, or the problem of the server; null if there is none
 */
export function answerOf(kind, { status, type, text = "" }, isDocumented = isObject) {
  const media = (type ?? "").split(";")[0].trim().toLowerCase();
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && kind === "stream")
    return { action: media === "text/event-stream" ? "done" : "wait", document: null };
  const document = parsed(text);
  if (isSuccess) return { action: isDocumented(document) ? "done" : "wait", document };
  const isOurs =
    media === "application/problem+json" &&
    typeof document?.code === "string" &&
    document.status === status;
  if (isOurs) return { action: actionOf(kind, document), document };
  return { action: kind === "step" && status === 413 ? "split" : "wait", document: null };
}

/** What a problem document of reorderd means. */
function actionOf(kind, { status, code }) {
  if (status < 400 || status >= 500 || temporary.includes(status)) return "wait";
  if (code === "request_in_progress") return "wait"; // the server has another request with the same key
  if (status === 401) return "signIn";
  if (kind === "write") return "refuse";
  if (status === 403) return "signIn";
  if (code === "list_not_found") return "gone";
  if (status === 410) return "readAgain";
  if (kind === "step" && ofBodies.includes(status)) return "split";
  return "wait";
}

/** The forms of responses. */
export const isObject = (document) => typeof document === "object" && document !== null;
export const isNothing = (document) => document === undefined;
export const isVersion = (document) => Number.isSafeInteger(document?.version);
export const isDocumentOf = (list) => (document) => document?.id === list && isVersion(document);
export const hasResults = (count) => (document) =>
  isVersion(document) && document.results?.length === count;
export const hasArray = (name) => (document) => Array.isArray(document?.[name]);

/** @returns undefined if there is no text, null if it is not JSON */
function parsed(text) {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
