/** The explanation of a code, for people: `atrium explain` and docs/guide/codes.md show it. */
export interface CodeText {
  /** What the code says, in one sentence. */
  readonly means: string
  /** What usually brings it about. */
  readonly why: string
  /** What to do about it. */
  readonly next: string
}

/** Explanations by their code. */
export type CodeTexts = Readonly<Record<`E_${string}`, CodeText>>
