import { isoOf } from "../shared/IsoText.ts"
import type { Meter } from "./Caps.ts"
import { MeterLimits } from "./MeterLimits.ts"

/** What bounds a meter: the allowance of the project's plan, and the owner's ceiling. */
export const CapKinds = ["allowance", "ceiling"] as const
export type CapKind = (typeof CapKinds)[number]

/** The shares of a cap that raise an alert when they are used. Source: issue 15; spec: Events. */
export const AlertPercents = [MeterLimits.alertPercent.max, 100] as const

/** A share of a cap that is used. */
export interface CapMark {
  readonly cap: CapKind
  readonly percent: number
  /** The cap itself, in the unit of its meter. */
  readonly bound: number
}

/** The shares of a meter's caps that its use has reached; an unused meter has reached none. Source: C-503. */
export const marksReached = ({
  used,
  allowance,
  ceiling
}: {
  readonly used: number
  readonly allowance: number
  readonly ceiling: number | null
}): ReadonlyArray<CapMark> => {
  const bounds: Record<CapKind, number | null> = { allowance, ceiling }
  return CapKinds.flatMap((cap) => {
    const bound = bounds[cap]
    if (bound === null || used <= 0) return []
    return AlertPercents.filter((percent) => used * 100 >= bound * percent).map((percent) => ({
      cap,
      percent,
      bound
    }))
  })
}

interface CapReachedMail {
  readonly project: { readonly id: string; readonly name: string }
  readonly meter: Meter
  readonly cap: CapKind
  readonly bound: number
  /** New work is refused from now on. */
  readonly walled: boolean
  /** The end of the billing period, Unix milliseconds. */
  readonly endMs: number
}

const nameOf: Record<CapKind, string> = {
  allowance: "the allowance of its plan",
  ceiling: "the ceiling that its owner has set"
}

/** The mail that tells an owner of a cap that is reached. */
export const capMail = ({ project, meter, cap, bound, walled, endMs }: CapReachedMail) => ({
  subject: `Atrium: ${project.name} has reached its cap of ${meter}`,
  text: [
    `The project ${project.name} (${project.id}) has used ${bound} of ${meter}: ${nameOf[cap]}.`,
    walled
      ? "New work that this meter counts is refused until the cap is raised or the period ends."
      : "Service continues; the use beyond the allowance is billed.",
    `The period ends ${isoOf(endMs)}.`,
    `The caps: atrium caps --project ${project.id}`
  ].join("\n\n")
})
