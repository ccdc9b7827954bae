export interface Finding {
  /** Of the specification that is read. */
  readonly line: number
  readonly kind: "changed" | "moved" | "uncovered" | "number" | "code"
  readonly says: string
}
