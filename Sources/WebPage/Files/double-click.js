// The second click of a double click belongs to what the first one has hit. If that has closed, moved away or been replaced,
// something else is at its place, to which the person did not point: it gets no click.

const controls = "button, a, [role=option], .row, dialog";
let first = null;

addEventListener(
  "click",
  (event) => {
    const control = event.target.closest?.(controls) ?? null;
    if (event.detail > 1 && control !== null && control !== first) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else first = control;
  },
  true,
);
