/**
 * How a client treats a body. `own`: simulated ahead. `predicted`: of another, and simulated ahead as well. `proxy`: moved to
 * where the room had it, so that others bump into it. `shown`: only drawn there, without a collider.
 */
export type BodyRole = "own" | "predicted" | "proxy" | "shown"

/** How many bodies of others take part in the local world. */
export interface PredictionBudgets {
  /** Bodies of others that are simulated ahead; 64 when left out. What is further away is a proxy. */
  readonly maxPredictedBodies?: number
  /** Proxies; 256 when left out. What is further away has no local collider. */
  readonly maxProxyBodies?: number
}

/** A body that needs a role. */
export interface RoleCandidate {
  readonly own: boolean
  /** Whether forces move the body. A body that the room alone moves, such as a lift, is not simulated. */
  readonly dynamic: boolean
  /** To the nearest own body. */
  readonly distance: number
  /** `null` = it is new. */
  readonly was: BodyRole | null
}

/** A body keeps its role until another one is this much nearer: otherwise two would change places all the time. */
const Keeping: Readonly<Record<BodyRole, number>> = {
  own: 1,
  predicted: 0.7,
  proxy: 0.85,
  shown: 1
}

/** The role of each body: own ones count for nothing, and of the others the nearest come first. */
export const rolesOf = (
  bodies: ReadonlyArray<RoleCandidate>,
  { maxPredictedBodies, maxProxyBodies }: Required<PredictionBudgets>
): ReadonlyArray<BodyRole> => {
  const roles = bodies.map(({ own }): BodyRole => (own ? "own" : "shown"))
  const farOff = bodies.map(({ distance, was }) => distance * (was === null ? 1 : Keeping[was]))
  const others = [...bodies.keys()]
    .filter((place) => roles[place] !== "own")
    .toSorted((a, b) => (farOff[a] ?? 0) - (farOff[b] ?? 0))
  let [predicted, proxies] = [0, 0]
  for (const place of others) {
    if (bodies[place]?.dynamic === true && predicted < maxPredictedBodies) {
      roles[place] = "predicted"
      predicted += 1
    } else if (proxies < maxProxyBodies) {
      roles[place] = "proxy"
      proxies += 1
    }
  }
  return roles
}
