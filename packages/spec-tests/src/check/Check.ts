import type { Trial } from "../trial/Trial.ts"

/** One experiment on an implementation. All its requirements share its verdict. */
export interface Check {
  readonly ids: readonly [string, ...Array<string>]
  /** The rule that holds if the check passes, in one sentence. */
  readonly title: string
  /** The name by which a row refers to this check alone, behind a `#`; `model` = it asks long sequences. */
  readonly name?: string
  /** Features and hooks beyond those that its requirements name. */
  readonly needs?: ReadonlyArray<string>
  /** Nothing else runs meanwhile: it moves the clock or disturbs more than its own projects. */
  readonly alone?: true
  /** Default 20 s. */
  readonly timeoutMs?: number
  readonly run: (trial: Trial) => Promise<void>
}

/** A check without its requirements: they are the row that it stands in, and those that name that row. */
export type Probe = Omit<Check, "ids">

/** A probe of the row with this id. */
export type ProbeOf = (id: string) => Probe

/** For a check that asks over fifty times: it ends in time on a machine with much else to do. */
export const manyAskedMs = 60_000
