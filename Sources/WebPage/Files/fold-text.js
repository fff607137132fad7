// Texts as a search compares them: upper and lower case, accents and encodings make no difference. The server's search folds in the
// same way.

/**
 * The marks of Latin, Greek and Cyrillic letters, Hebrew and Arabic points, the marks of kana, and variation selectors. Vowel signs
 * of other scripts make a difference.
 */
const accents = [
  [0x300, 0x36f],
  [0x483, 0x487],
  [0x591, 0x5bd],
  [0x5bf, 0x5bf],
  [0x5c1, 0x5c1],
  [0x5c2, 0x5c2],
  [0x5c4, 0x5c4],
  [0x5c5, 0x5c5],
  [0x5c7, 0x5c7],
  [0x610, 0x61a],
  [0x64b, 0x65f],
  [0x670, 0x670],
  [0x6d6, 0x6dc],
  [0x6df, 0x6e4],
  [0x6e7, 0x6e7],
  [0x6e8, 0x6e8],
  [0x6ea, 0x6ed],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1dff],
  [0x20d0, 0x20ff],
  [0x3099, 0x3099],
  [0x309a, 0x309a],
  [0xfe00, 0xfe0f],
  [0xfe20, 0xfe2f],
];
/** Letters whose stroke Unicode does not decompose, ligatures, and the sigma at the end of a word. */
const letters = {
  ø: "o",
  ł: "l",
  đ: "d",
  ħ: "h",
  ŧ: "t",
  ı: "i",
  æ: "ae",
  œ: "oe",
  ς: "σ",
};
const accent = new RegExp(
  `[${accents.map((range) => range.map((code) => `\\u{${code.toString(16)}}`).join("-")).join("")}]`,
  "gu",
);
const ascii = /^[\0-\x7f]*$/;
const letter = new RegExp(`[${Object.keys(letters).join("")}]`, "gu");

/** Whether a title contains a text. A text of accents only is in no title. */
export function contains(title, text) {
  const wanted = folded(text);
  return wanted !== "" && folded(title).includes(wanted);
}

/**
 * The parts of a title: what a search has found, and what is between.
 * @returns pairs of a text and whether it was found. O(length)
 */
export function foundParts(title, text) {
  const wanted = folded(text);
  if (wanted === "") return [[title, false]];
  const characters = [...title];
  /** For each folded character, the index of its character in the title. */
  const indices = [];
  const all = characters
    .map((one, index) => {
      const small = folded(one);
      for (let count = 0; count < small.length; count += 1) indices.push(index);
      return small;
    })
    .join("");
  const parts = [];
  let end = 0;
  for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, at + wanted.length)) {
    const first = Math.max(end, indices[at]);
    const next = indices[at + wanted.length] ?? characters.length;
    // A character can have several folded ones, of which some are found.
    const last = Math.max(next, indices[at + wanted.length - 1] + 1);
    parts.push([characters.slice(end, first).join(""), false]);
    parts.push([characters.slice(first, last).join(""), true]);
    end = last;
  }
  parts.push([characters.slice(end).join(""), false]);
  return parts.filter(([part]) => part !== "");
}

/** A text in the form in which texts are compared. */
export function folded(text) {
  if (ascii.test(text)) return text.toLowerCase();
  const small = withoutAccents(text).toUpperCase().toLowerCase();
  return withoutAccents(small).replace(letter, (one) => letters[one]);
}

function withoutAccents(text) {
  return text.normalize("NFKD").replace(accent, "");
}
