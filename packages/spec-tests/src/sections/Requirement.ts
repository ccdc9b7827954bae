/** The first word of an id: the part of the specification that it is about. */
export const areaOf = (id: string): string => id.split(".", 1).join()

/** One sentence of the specification that can be checked, with where it stands. */
export interface Requirement {
  /** `area.subject.aspect`, never reused. */
  readonly id: string
  /** Line of the specification, from 1. */
  readonly line: number
  /** The first 16 hex digits of the SHA-256 of that line without the space around it. */
  readonly sha: string
  readonly section: string
  readonly statement: string
  /** `must`: the specification says it; `decided`: it is silent, we chose; `info`: nothing to assert. */
  readonly level: "must" | "decided" | "info"
  /** A: an address and credentials; B: and fixtures; C: and hooks; D: documented. */
  readonly tier: "A" | "B" | "C" | "D"
  readonly probe: ReadonlyArray<"http" | "ws" | "cli" | "sdk">
  /** Hooks of the control listener, and `fixture`. */
  readonly hooks: ReadonlyArray<string>
  /** Features that an implementation must declare, or the requirement is not asked. */
  readonly features: ReadonlyArray<string>
  readonly decisions: ReadonlyArray<string>
  readonly alsoLines?: ReadonlyArray<number>
  /** The requirement that this one says again: one check, both lit. */
  readonly sameAs?: string
}
