// The connection of the page to its server.
import { access, currentLink, currentToken, wantToken } from "./access.js";
import { connect } from "./client.js";
import { storedName } from "./name.js";

export const connection = connect({
  token: currentToken,
  name: storedName(),
  // What is stored for a link is not for the person.
  account: currentLink() === null ? "" : `link ${currentLink().slice(-8)}`,
});
connection.on("unauthorized", ({ token, detail }) => wantToken(detail, token));
access.addEventListener("changed", () => {
  connection.forget(); // another person may use the browser now
  connection.reconnect();
});
