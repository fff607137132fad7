// The connection of the page to its server.
import { access, currentToken, wantToken } from "./access.js";
import { connect } from "./client.js";
import { storedName } from "./name.js";

export const connection = connect({ token: currentToken, name: storedName() });
connection.on("unauthorized", ({ token, detail }) => wantToken(detail, token));
access.addEventListener("changed", () => {
  connection.forget(); // another person may use the browser now
  connection.reconnect();
});
