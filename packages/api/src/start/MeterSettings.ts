import {
  type Allowances,
  allowances,
  type Meter,
  Meters,
  type Tier,
  Tiers
} from "@atrium/domain/meters/Caps"
import { defaultSustainedBytes } from "@atrium/domain/meters/SustainedRate"
import { Config, Effect } from "effect"

/** The settings of plans, as the environment has them. */
export const meterSettings = Config.all({
  free: Config.String("ATRIUM_ALLOWANCES_FREE").pipe(Config.withDefault("")),
  card: Config.String("ATRIUM_ALLOWANCES_CARD").pipe(Config.withDefault("")),
  newPlan: Config.String("ATRIUM_NEW_PLAN").pipe(Config.withDefault("card")),
  sustained: Config.String("ATRIUM_SUSTAINED_BYTES").pipe(
    Config.withDefault(String(defaultSustainedBytes))
  )
})
type MeterSettings = Config.Success<typeof meterSettings>

/** What operators set of plans. */
export interface PlanConfig {
  readonly allowances: Record<Tier, Allowances>
  /** The plan of a project that is made from now on. */
  readonly newPlan: Tier
  /** Bytes a second that a server may send for ever; `Infinity` = any number. */
  readonly sustainedBytes: number
}

/**
 * Reads the plans. Source: C-500.
 *
 * @returns a sentence on what does not fit
 */
export const readMeterSettings = ({
  free,
  card,
  newPlan,
  sustained
}: MeterSettings): Effect.Effect<PlanConfig, string> =>
  Effect.gen(function* () {
    const plan = Tiers.find((tier) => tier === newPlan)
    if (plan === undefined) {
      return yield* Effect.fail(
        `ATRIUM_NEW_PLAN must be ${Tiers.join(" or ")}, not ${JSON.stringify(newPlan)}.`
      )
    }
    if (sustained !== "off" && !/^[1-9]\d{0,14}$/.test(sustained)) {
      return yield* Effect.fail(
        `ATRIUM_SUSTAINED_BYTES must be a whole number of bytes a second from 1, or off, not ${JSON.stringify(sustained)}.`
      )
    }
    return {
      allowances: {
        free: yield* allowancesOf("ATRIUM_ALLOWANCES_FREE", free, allowances.free),
        card: yield* allowancesOf("ATRIUM_ALLOWANCES_CARD", card, allowances.card)
      },
      newPlan: plan,
      sustainedBytes: sustained === "off" ? Number.POSITIVE_INFINITY : Number(sustained)
    }
  })

/** The plans as the variables that set them, those with default values among them: all runners have the same. */
export const planVariables = ({
  allowances: { free, card },
  newPlan,
  sustainedBytes
}: PlanConfig): Readonly<Record<string, string>> => ({
  ATRIUM_ALLOWANCES_FREE: allowancesText(free),
  ATRIUM_ALLOWANCES_CARD: allowancesText(card),
  ATRIUM_NEW_PLAN: newPlan,
  ATRIUM_SUSTAINED_BYTES: Number.isFinite(sustainedBytes) ? String(sustainedBytes) : "off"
})

const allowancesText = (of: Allowances): string =>
  Meters.map((meter) => `${meter}=${of[meter]}`).join(",")

/** @param given such as `roomHours=100,storageBytes=1073741824`; a meter that is absent keeps its default */
const allowancesOf = (name: string, given: string, defaults: Allowances) => {
  const set: Partial<Allowances> = {}
  for (const part of given.split(",").filter((each) => each.trim() !== "")) {
    const read = readAllowance(part.trim())
    if (read === null || set[read.meter] !== undefined) {
      return Effect.fail(
        `${name}: ${JSON.stringify(part.trim())} is no meter (${Meters.join(", ")}), = and a whole number, each meter once.`
      )
    }
    set[read.meter] = read.allowance
  }
  return Effect.succeed({ ...defaults, ...set })
}

const readAllowance = (
  text: string
): { readonly meter: Meter; readonly allowance: number } | null => {
  const [, name, digits] = /^([A-Za-z]+)=(\d{1,16})$/.exec(text) ?? []
  const meter = Meters.find((each) => each === name)
  const allowance = Number(digits)
  return meter !== undefined && Number.isSafeInteger(allowance) ? { meter, allowance } : null
}
