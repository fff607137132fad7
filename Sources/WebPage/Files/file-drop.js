// Files that are dragged onto the page from elsewhere are imported. Without this, the browser would open them in place of the page.

/** @param importing loads the `ImportDialog` */
export function importDroppedFiles(importing) {
  for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      const { types, files } = event.dataTransfer;
      if (!types.includes("Files")) return;
      event.preventDefault();
      if (name === "drop") importing.call("take", [...files]);
      else if (importing.made) importing.made.hover(event);
      else if (name === "dragenter") importing.load();
    });
  }
}
