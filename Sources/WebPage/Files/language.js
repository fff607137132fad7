// The words of the page, in the language of the browser.
import { en } from "./en.js";

export const words = en;
