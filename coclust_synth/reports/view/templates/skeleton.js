// The elements of a view, and what they say.

const KINDS = [
  ["frequency", "Frequency"],
  ["information", "Mutual information"],
  ["contrast", "Contrast"],
  ["change", "Contrast with all parts"],
];
const HINT =
  "Arrow keys move from cell to cell, Page Up and Down by ten rows. F folds and U unfolds the row cluster, " +
  "with Shift the column cluster.";

const SKELETON = `
<div class="bar">
  <div class="group">
    <label>Rows <select data-ref="rows"></select></label>
    <label>Columns <select data-ref="columns"></select></label>
    <button type="button" data-ref="swap">Swap</button>
  </div>
  <div class="group" data-ref="others" hidden></div>
  <fieldset class="group segments" data-ref="kinds"><legend>Colour</legend></fieldset>
  <label class="check"><input type="checkbox" data-ref="proportional"> Sizes by frequency</label>
</div>
<div class="sides">
<section class="level card" aria-label="Level of the hierarchy">
  <p class="status" role="status" data-ref="status"></p>
  <svg class="curve" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
    <path class="area" data-ref="area"/><path class="line" data-ref="line"/><path class="mark" data-ref="mark"/>
  </svg>
  <div class="slider"><label>Clusters <input type="range" step="1" data-ref="clusters"></label>
    <output data-ref="clustersTold"></output></div>
  <div class="slider"><label>Information kept
    <input type="range" min="0" max="100" step="0.1" data-ref="information"></label>
    <output data-ref="informationTold"></output></div>
  <div class="group">
    <label>Rows <input type="number" min="1" data-ref="nRows" aria-label="Row clusters"></label>
    <label>Columns <input type="number" min="1" data-ref="nColumns" aria-label="Column clusters"></label>
    <button type="button" data-ref="best">Best grid</button>
    <button type="button" data-ref="finest">Finest</button>
  </div>
</section>
<section class="figure" aria-label="Grid">
  <div class="stage" tabindex="0" role="application" data-ref="stage">
    <canvas role="img" data-ref="canvas"></canvas>
    <canvas class="overlay" aria-hidden="true" data-ref="overlay"></canvas>
    <div class="tip" aria-hidden="true" hidden data-ref="tip"></div>
  </div>
  <div class="legend"><p data-ref="legendTitle"></p><canvas height="10" aria-hidden="true" data-ref="ramp"></canvas>
    <div class="ticks" data-ref="ticks"></div></div>
  <p class="soft hint">${HINT} In the trees, a click on a ring folds and on a dot unfolds.</p>
  <p class="hidden" aria-live="polite" data-ref="live"></p>
</section>
<section class="selection" aria-label="Selection" data-ref="selection"></section>
</div>
<section class="more" aria-label="More">
  <details class="card" data-ref="finder"><summary>Find a value or a cluster</summary>
    <label>Text <input type="search" data-ref="query"></label>
    <p class="soft" role="status" data-ref="foundTold"></p><ul class="beside" data-ref="found"></ul></details>
  <details class="card" data-ref="lists"><summary>All clusters</summary>
    <div class="lists" data-ref="listRoom"></div></details>
  <details class="card"><summary>Names and files</summary>
    <p>Names that you give to clusters stay in this page until it is closed. Save them, and load them again here
      or by <code>coclust-synth view --names FILE</code>.</p>
    <div class="group"><button type="button" data-ref="saveNames">Save names (JSON)</button>
      <label class="button">Load names <input type="file" accept=".json,application/json" data-ref="loadNames"></label>
      <button type="button" data-ref="saveSelection">Selected clusters (CSV)</button>
      <button type="button" data-ref="saveCells">All cells (CSV)</button></div>
    <p role="status" data-ref="filesTold"></p></details>
  <details class="card" data-ref="asTable"><summary>The grid as a table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="The grid as a table" data-ref="tableRoom"></div></details>
  <details class="card"><summary>How to read this</summary>
    <p>Each row and each column is a cluster; a cell holds the observations of both. Clusters that are joined low in
      a tree behave alike. <strong>Mutual information</strong> is what a cell adds to the dependence of rows and
      columns: red cells hold more than if both were independent, blue ones less. <strong>Contrast</strong> is the
      ratio of both, whatever the size of the cell: small cells can stand out by chance. <strong>Contrast with all
      parts</strong> compares a chosen part of the other dimensions with all of them.</p>
    <p><strong>Information kept</strong> is the share of the best grid's gain over one cell, by the MODL criterion,
      that is left at a level of the hierarchy; folding by hand leaves these levels, and then only the mutual
      information of the two dimensions shown is told. <strong>Interest</strong> says how much merging a cluster
      with the others would cost, <strong>typicality</strong> how much moving a value to other clusters would: both
      are relative to the largest. In folded clusters, values keep the typicality that they have in their own.</p></details>
</section>`;
