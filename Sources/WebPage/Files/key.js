// What a pressed key means.

/**
 * Calls a function for each key that is pressed inside an element, except those that an input method uses to compose text.
 * @param act gets the name of the key, such as "Shift+ArrowUp" or "Control+z", and the event. If it returns true, the key has no
 *   other effect.
 */
export function onKey(target, act, options) {
  target.addEventListener(
    "keydown",
    (event) => {
      const key = nameOf(event);
      if (key === null || !act(key, event)) return;
      event.preventDefault();
      event.stopPropagation();
    },
    options,
  );
}

/** The name of a key with its modifiers; null if the key belongs to an input method. Command keys count as Control. */
function nameOf(event) {
  // Safari reports the key that ends a composition after its end, but with the code of a composing key.
  if (event.isComposing || event.keyCode === 229) return null;
  const { key } = event;
  if (!key) return null; // a browser that fills in a form
  const isText = [...key].length === 1 && key !== " ";
  // On some keyboards, AltGr types ordinary characters. Browsers report it as Control and Alt.
  const isCommand = (event.ctrlKey || event.metaKey) && !event.getModifierState("AltGraph");
  // On a keyboard without Latin letters, the place of the key names the command: Control and я undo like Control and z.
  const isOtherLetter = isCommand && isText && key > "~" && /^Key[A-Z]$/.test(event.code);
  const isAlt = event.altKey && !event.getModifierState("AltGraph");
  const names = [
    isCommand && "Control",
    isAlt && "Alt",
    // Text already contains the effect of Shift: "?" is Shift and another key on many keyboards.
    event.shiftKey && (!isText || isCommand) && "Shift",
    key === " "
      ? "Space"
      : isOtherLetter
        ? event.code.at(-1).toLowerCase()
        : isText
          ? key.toLowerCase()
          : key,
  ];
  return names.filter(Boolean).join("+");
}
