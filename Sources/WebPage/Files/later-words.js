// The words of the second script. Those in English are not in the first one; another language has all words in its file.
import { fill, words as first } from "./app.js";
import { english } from "./en-later.js";

export const words = { ...english, ...first };
fill(words);
