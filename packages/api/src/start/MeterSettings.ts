import {
  type Allowances,
  allowances,
  type Meter,
  Meters,
  type Tier,
  Tiers
} from "@atrium/domain/meters/Caps"
import { Config, Effect } from "effect"

/** The settings of plans, as the environment has them. */
export const meterSettings = Config.all({
  free: Config.String("ATRIUM_ALLOWANCES_FREE").pipe(Config.withDefault("")),
  card: Config.String("ATRIUM_ALLOWANCES_CARD").pipe(Config.withDefault("")),
  newPlan: Config.String("ATRIUM_NEW_PLAN").pipe(Config.withDefault("card"))
})
type MeterSettings = Config.Success<typeof meterSettings>

/** What operators set of plans. */
export interface PlanConfig {
  readonly allowances: Record<Tier, Allowances>
  /** The plan of a project that is made from now on. */
  readonly newPlan: Tier
}

/**
 * Reads the plans. Source: C-500.
 *
 * @returns a sentence on what does not fit
 */
export const readMeterSettings = ({
  free,
  card,
  newPlan
}: MeterSettings): Effect.Effect<PlanConfig, string> =>
  Effect.gen(function* () {
    const plan = Tiers.find((tier) => tier === newPlan)
    if (plan === undefined) {
      return yield* Effect.fail(
        `ATRIUM_NEW_PLAN must be ${Tiers.join(" or ")}, not ${JSON.stringify(newPlan)}.`
      )
    }
    return {
      allowances: {
        free: yield* allowancesOf("ATRIUM_ALLOWANCES_FREE", free, allowances.free),
        card: yield* allowancesOf("ATRIUM_ALLOWANCES_CARD", card, allowances.card)
      },
      newPlan: plan
    }
  })

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
