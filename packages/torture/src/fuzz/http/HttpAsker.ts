import { Chance } from "@atrium/api/testing/Chance"
import { headerOf, type RawAnswer, RawHttp } from "@atrium/api/testing/RawHttp"

import type { Tally } from "../Tally.ts"
import { answerFault, shapeFault } from "./AnswerJudgement.ts"
import type { HttpAsk } from "./HttpCase.ts"
import { type HttpRow, HttpRows } from "./HttpRows.ts"
import type { HttpStage } from "./HttpStage.ts"
import type { Talk } from "./WireCases.ts"

/** The service answered what it must not. */
class Wrong extends Error {
  override readonly name = "Wrong"
}

/** Bytes of a request that a fault shows. */
const ShownBytes = 400

const shown = (bytes: Buffer): string =>
  JSON.stringify(bytes.subarray(0, ShownBytes).toString("latin1")) +
  (bytes.length > ShownBytes ? `… ${bytes.length} bytes` : "")

/** Asks the service, one case after the other; the same seed and number are the same request again. */
export class HttpAsker {
  readonly rows: HttpRows
  readonly #stage: HttpStage
  readonly #tally: Tally
  readonly #secrets: ReadonlyArray<string>
  readonly #askedOf = new Map<string, number>()

  constructor(stage: HttpStage, tally: Tally) {
    this.#stage = stage
    this.#tally = tally
    this.#secrets = Object.values(stage.secrets)
    this.rows = new HttpRows(stage)
  }

  /** Requests that went to a route so far. */
  askedOf(route: string): number {
    return this.#askedOf.get(route) ?? 0
  }

  async askOne(seed: number, index: number): Promise<void> {
    const chance = Chance.of(seed, "http", index)
    const row = this.rows.at(index, chance)
    const wire = new RawHttp(this.#stage.url)
    let bytes: Buffer = Buffer.alloc(0)
    this.#tally.sent("http")
    try {
      if (row.kind === "wire") await row.case.run(this.#talk(wire, chance))
      else {
        const ask = this.#askOf(row, chance)
        bytes = ask.bytes
        await this.#ask(row, ask, wire)
      }
    } catch (error) {
      const request = bytes.length === 0 ? "" : `\n  ${shown(bytes)}`
      this.#tally.fault({ part: "http", index, says: `${row.name}: ${String(error)}${request}` })
    } finally {
      wire.destroy()
    }
  }

  #askOf(row: Exclude<HttpRow, { kind: "wire" }>, chance: Chance): HttpAsk {
    if (row.kind === "plain") return row.case.ask(this.#stage, chance)
    this.#askedOf.set(row.route.name, this.askedOf(row.route.name) + 1)
    return row.case.ask(this.rows.partsOf(row.route, chance))
  }

  async #ask(row: Exclude<HttpRow, { kind: "wire" }>, ask: HttpAsk, wire: RawHttp): Promise<void> {
    const { expects, headOnly, halfCloses } = ask
    wire.write(ask.bytes)
    if (halfCloses) wire.end()
    const answer = await wire.answer({ headOnly })
    this.#tally.count("http status", String(answer?.status ?? "none"))
    this.#tally.count(row.case.name, String(answer?.status ?? "none"))
    if (answer === null) {
      if (!expects.statuses.includes(0)) throw new Wrong("no answer")
      return
    }
    const route = row.kind === "route" ? row.route : null
    const fault = answerFault(answer, { expects, headOnly, route, secrets: this.#secrets })
    if (fault !== null) throw new Wrong(fault)
    if (expects.ends || halfCloses || headerOf(answer, "connection") === "close")
      await this.#ends(wire)
    else await this.#goesOn(wire)
  }

  /** The service refuses the bytes that followed the request, and then ends the connection. */
  async #ends(wire: RawHttp): Promise<void> {
    for (;;) {
      const more = await wire.answer()
      if (more === null) break
      const fault = more.status < 400 ? null : shapeFault(more)
      if (fault !== null) throw new Wrong(`behind the answer: ${fault}`)
    }
    if (wire.cut) throw new Wrong("the connection was cut off")
  }

  /** The connection is as good as before, or ended in TCP's own words. */
  async #goesOn(wire: RawHttp): Promise<void> {
    wire.write(`GET /health HTTP/1.1\r\nhost: ${new URL(this.#stage.url).host}\r\n\r\n`)
    const answer = await wire.answer()
    const good = answer === null ? !wire.cut : answer.status === 200
    if (!good) throw new Wrong(`the connection is no good: ${answer?.status}`)
  }

  #talk(wire: RawHttp, chance: Chance): Talk {
    const expect = async (status: number): Promise<RawAnswer> => {
      const answer = await wire.answer()
      this.#tally.count("http status", String(answer?.status ?? "none"))
      if (answer?.status !== status)
        throw new Wrong(`${answer?.status ?? "no answer"} instead of ${status}`)
      const fault = status < 400 ? null : shapeFault(answer)
      if (fault !== null) throw new Wrong(fault)
      return answer
    }
    return { stage: this.#stage, chance, wire, expect, ends: () => this.#ends(wire) }
  }
}
