import { holds } from "../check/Expect.ts"
import type { Bucket } from "../sections/Row.ts"
import { formsOfIpv4, formsOfIpv6 } from "../trial/Addresses.ts"
import type { Trial } from "../trial/Trial.ts"
import { type HeldClock, onHeldClock } from "./HeldClock.ts"
import { isRefusedAs, isTaken, type Outcome } from "./Outcome.ts"

type DrawTrial = Pick<Trial, "chosen"> & HeldClock

const emptyForMs = ({ burst, perMs, rate }: Bucket): number => Math.ceil((burst * perMs) / rate)

export interface DrawBench {
  /** An address that nobody asked from. */
  readonly address: () => string
  /** Asks from there, always of the same project (or room), which nobody else asks. */
  readonly ask: (address: string) => Promise<Outcome>
}

export interface DrawRows {
  /** The allowance that is drawn first. */
  readonly address: Bucket
  /** The one behind it. */
  readonly project: Bucket
}

/** An address without allowance does not spend the project's: the project has all the rest. */
export const drawOrderCheck = async (
  trial: DrawTrial,
  { address, project }: DrawRows,
  bench: DrawBench
): Promise<void> => {
  await onHeldClock(trial, emptyForMs(project), async () => {
    const first = bench.address()
    for (let n = 1; n <= address.burst; n++) {
      isTaken(`${address.ids[0]}: ${n} from one address`, await bench.ask(first))
    }
    const refusals = 10
    for (let n = 1; n <= refusals; n++) {
      const got = await bench.ask(first)
      isRefusedAs(trial, `${address.ids[0]}: more of it`, { got, outcome: address.outcome })
    }
    let left = project.burst - address.burst
    while (left > 0) {
      const next = bench.address()
      const some = Math.min(left, address.burst)
      for (let n = 1; n <= some; n++) {
        isTaken(`${project.ids[0]}: with ${left} left`, await bench.ask(next))
        left--
      }
    }
    const got = await bench.ask(bench.address())
    isRefusedAs(trial, `${project.ids[0]}: one more`, { got, outcome: project.outcome })
  })
}

const inTurn = (forms: ReadonlyArray<string>, n: number): string => forms[n % forms.length] ?? ""

export interface PrefixBench {
  readonly ask: (address: string) => Promise<Outcome>
  /** The first four groups of an IPv6 address, of which nobody else asks. */
  readonly prefix: string
  /** The next /64: they differ in the last bit of the four groups. */
  readonly otherPrefix: string
  /** Two IPv4 addresses that nobody else asks from. */
  readonly plain: readonly [string, string]
}

/**
 * All addresses of a /64 share one allowance; the next /64 has its own. An IPv4 address is the same
 * in its IPv6 form, and shares with no other. It does not matter how an address is written.
 */
export const prefixCheck = async (
  trial: DrawTrial,
  row: Bucket,
  { ask, prefix, otherPrefix, plain }: PrefixBench
): Promise<void> => {
  await onHeldClock(trial, emptyForMs(row), async () => {
    for (let n = 1; n <= row.burst; n++) {
      const host = [n, n * 257, n * 4099, n * 65_521].map((part) => (part % 65_536).toString(16))
      const from = inTurn(formsOfIpv6([...prefix.split(":"), ...host]), n)
      isTaken(`${row.ids[0]}: ${n} from one /64`, await ask(from))
    }
    for (const form of formsOfIpv6([...prefix.split(":"), "ffff", "ffff", "ffff", "ffff"])) {
      const got = await ask(form)
      isRefusedAs(trial, `${row.ids[0]}: one more of the /64`, { got, outcome: row.outcome })
    }
    const other = await ask(`${otherPrefix}::1`)
    holds(`${row.ids[0]}: another /64 has its own`, other.taken, other)
    const [one, another] = plain
    for (let n = 1; n <= row.burst; n++) {
      isTaken(`${row.ids[0]}: ${n} from an IPv4 address`, await ask(inTurn(formsOfIpv4(one), n)))
    }
    for (const form of formsOfIpv4(one)) {
      const more = await ask(form)
      isRefusedAs(trial, `${row.ids[0]}: one more as ${form}`, { got: more, outcome: row.outcome })
    }
    isTaken(`${row.ids[0]}: another IPv4 address in IPv6 form`, await ask(`::ffff:${another}`))
  })
}
