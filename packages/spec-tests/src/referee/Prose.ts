import type { Prose } from "./Referee.ts"

/** Lines of the specification that ask nothing. */
export const prose: ReadonlyArray<Prose> = [
  {
    line: 3,
    sha: "bf6d1a5f5deb1ecb",
    reason: "What the document is about, and how addresses are written."
  },
  { line: 106, sha: "e11b1a9446e86753", reason: "A title of the table below." },
  { line: 122, sha: "fc493f5033cae7d4", reason: "A title of the table below." },
  { line: 132, sha: "d9bddee862b3fdaa", reason: "A title of the table below." },
  { line: 149, sha: "1b083cbb7a5e7f3f", reason: "A title of the table below." },
  { line: 162, sha: "a89c1ceb66b5975f", reason: "A title of the table below." },
  { line: 185, sha: "b0cbf2d72c6b5407", reason: "A title of the table below." },
  { line: 230, sha: "09e09762d2d1e809", reason: "A title of the rules below." },
  { line: 288, sha: "88af72ef57c8ceb2", reason: "A title of the table below." },
  { line: 322, sha: "1752523a1c0e5c01", reason: "A title of the table below." },
  { line: 335, sha: "e70b9401eea9ae80", reason: "A title of the table below." },
  { line: 355, sha: "09e09762d2d1e809", reason: "A title of the rules below." }
]
