// The connection of the page to its server.
import { access, currentLink, currentToken, wantToken } from "./access.js";
import { Connection } from "./client.js";
import { storedName } from "./name.js";
import { UndoableList } from "./undoable-list.js";

const options = {
  token: currentToken,
  name: storedName(),
  // What is stored for a link is not for the person.
  account: currentLink() === null ? "" : `link ${currentLink().slice(-8)}`,
};
// The page makes its own rows, so its lists do not need the methods for apps.
export const connection = new Connection(options, (_, ...parts) => new UndoableList(...parts));
connection.on("unauthorized", ({ token, detail }) => wantToken(detail, token));
access.addEventListener("changed", () => {
  connection.forget(); // another person may use the browser now
  connection.reconnect();
});
