// The bytes that payload.py wrote, as the objects that everything else reads.

function bytesOf(base64) {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function unpack(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(data.buffer).getUint32(0, true);
  const content = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
  let at = 4 + length;
  // Differences of 7 bits a byte, the lowest first; numbers can pass 32 bits.
  const column = (numbers) => {
    let last = 0;
    for (let i = 0; i < numbers.length; i++) {
      let value = 0;
      let factor = 1;
      while (data[at] > 127) {
        value += (data[at++] - 128) * factor;
        factor *= 128;
      }
      value += data[at++] * factor;
      last += value % 2 ? -(value + 1) / 2 : value / 2;
      numbers[i] = last;
    }
    return numbers;
  };
  content.cells = content.dimensions.map(() => column(new Int32Array(content.n_cells)));
  content.counts = column(new Float64Array(content.n_cells));
  content.hierarchies = content.dimensions.map((own, axis) => new Hierarchy(own, axis, content.merges));
  return content;
}
