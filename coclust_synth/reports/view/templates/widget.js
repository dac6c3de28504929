// The view in a notebook (anywidget): names go back to Python.
export default {
  async render({ model, el }) {
    const root = document.createElement("div");
    root.className = "coclust-view";
    const app = document.createElement("div");
    app.className = "app";
    root.append(app);
    el.append(root);
    const data = model.get("grid");
    const content = await unpack(new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength));
    root.view = new View(app, content, {
      names: model.get("names"),
      onNames: (names) => {
        model.set("names", names);
        model.save_changes();
      },
    });
  },
};
