// Points as GTP writes them, and as index row by row from the top left.
export const LETTERS = "ABCDEFGHJKLMNOPQRST";

export const vertexAt = (index, size) => `${LETTERS[index % size]}${size - Math.floor(index / size)}`;

export function indexOf(vertex, size) {
  if (!vertex || vertex === "pass" || vertex === "resign") return -1;
  return (size - Number(vertex.slice(1))) * size + LETTERS.indexOf(vertex[0]);
}

export function starPoints(size) {
  if (size < 5) return [];
  const edge = size < 12 ? 2 : 3;
  const lines = [...new Set([edge, size - 1 - edge])];
  const middle = (size - 1) / 2;
  const points = size >= 7 ? lines.flatMap((row) => lines.map((column) => [row, column])) : [];
  if (size % 2 === 1) {
    points.push([middle, middle]);
    if (size >= 15) for (const line of lines) points.push([middle, line], [line, middle]);
  }
  return points;
}
