import type { Codecs } from "../codec/Codecs.ts"
import type { HttpAnswer } from "./HttpProbe.ts"

/** Something that holds of every exchange of a run, whatever it was made for. */
export interface AmbientRule {
  readonly ids: readonly [string, ...Array<string>]
  readonly title: string
  /** Features and hooks beyond those that its requirements name, without which nothing shows it. */
  readonly needs?: ReadonlyArray<string>
  /** Undefined: it says nothing of this answer. Null: it holds. Else what is wrong. */
  readonly look: (answer: HttpAnswer, codecs: Codecs) => string | null | undefined
}

export interface AmbientFinding {
  readonly seen: number
  /** The first few that it did not hold of. */
  readonly faults: ReadonlyArray<string>
  /** The error that the rule itself threw: a fault of the harness, not of the implementation. */
  readonly broke: string | null
}

const faultsMax = 5

/** Looks at every exchange of a run. */
export class Ambient {
  readonly #rules: ReadonlyArray<AmbientRule>
  readonly #codecs: Codecs
  readonly #found: Map<
    AmbientRule,
    { seen: number; readonly faults: Array<string>; broke: string | null }
  >

  constructor(rules: ReadonlyArray<AmbientRule>, codecs: Codecs) {
    this.#rules = rules
    this.#codecs = codecs
    this.#found = new Map(rules.map((rule) => [rule, { seen: 0, faults: [], broke: null }]))
  }

  look(answer: HttpAnswer): void {
    for (const rule of this.#rules) {
      const found = this.#found.get(rule)
      if (found === undefined) continue
      const where = `${answer.request.method} ${answer.request.path.slice(0, 200)}`
      try {
        const fault = rule.look(answer, this.#codecs)
        if (fault === undefined) continue
        found.seen++
        if (fault !== null && found.faults.length < faultsMax) {
          found.faults.push(`${where}: ${fault}`)
        }
      } catch (cause) {
        found.broke ??= `${where}: ${String(cause)}`
      }
    }
  }

  findings(): ReadonlyMap<AmbientRule, AmbientFinding> {
    return this.#found
  }
}
