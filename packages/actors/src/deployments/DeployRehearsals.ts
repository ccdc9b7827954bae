import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Effect, Option } from "effect"

import {
  beginRehearsal,
  demandRehearsed,
  hasCode,
  type ToRehearse
} from "../migrations/BeginRehearsal.ts"
import {
  atOnce,
  type DeployWish,
  type Earlier,
  judgeDeploy,
  type NextVersion
} from "../migrations/NextStep.ts"
import { RehearsalStore } from "../migrations/RehearsalStore.ts"
import type { NoWayBack } from "../migrations/RollbackStep.ts"
import { RoomObjects } from "../rooms/RoomObjects.ts"
import { StoredRooms } from "../rooms/StoredRooms.ts"
import { untimed } from "../store/AnswerTime.ts"
import { RandomHex } from "../store/Secrets.ts"
import { DeploymentStore } from "./DeploymentStore.ts"
import { earlierOf, objecting, type Objection } from "./DeployParts.ts"

/** A bundle, and what it has told of itself. */
interface Described {
  readonly projectId: ProjectId
  readonly bundle: Uint8Array
  readonly next: NextVersion
  readonly earlier: Earlier
}

/** Rehearsals of bundles that are deployed, or may be. */
export const makeDeployRehearsals = Effect.gen(function* () {
  const objects = yield* RoomObjects
  const stores = { objects, rehearsals: yield* RehearsalStore }
  const rooms = yield* StoredRooms
  const randomHex = yield* RandomHex
  const deployments = yield* DeploymentStore
  const leading = leadingBy(deployments)
  const objected = objecting(objects)
  return {
    /** @param sample rooms to draw; `null` = all rooms */
    begin: Effect.fnUntraced(function* (
      described: Omit<Described, "earlier">,
      sample: number | null
    ) {
      const { projectId, next } = described
      const earlier = yield* earlierOf(deployments, projectId, next)
      const led = yield* leading({ ...described, earlier })
      if (led._tag === "Refused") return yield* objected(projectId, led.because)
      const draw = { rooms: sample ?? 0, seed: randomHex(16) }
      const drawn = sample === null ? null : yield* rooms.draw(projectId, draw)
      return yield* beginRehearsal(stores, { ...led.asked, sample: drawn })
    }),
    /**
     * Lets a deploy go on if its migrations lead on all stored state, or all but that of the rooms that it quarantines.
     * Returns the quarantined rooms. The judge of the deploy checks everything else.
     */
    demand: Effect.fnUntraced(function* (described: Described, wish: DeployWish) {
      if (!wish.allowBreaking) return []
      const led = yield* leading(described)
      if (led._tag === "Refused" || !hasCode(led.asked.candidate)) return []
      return yield* untimed(demandRehearsed(stores, led.asked, wish))
    })
  }
})

/** What the migrations of a bundle would lead on, or what speaks against its version. */
type Leading =
  | { readonly _tag: "Led"; readonly asked: ToRehearse }
  | { readonly _tag: "Refused"; readonly because: Exclude<Objection, NoWayBack> }

/** Judges a bundle as its deployment with `--allow-breaking` would be, before that. */
const leadingBy = (deployments: DeploymentStore["Service"]) =>
  Effect.fnUntraced(function* ({ projectId, bundle, next, earlier }: Described) {
    const current = Option.getOrNull(yield* deployments.current(projectId))
    const baseVersion = current?.version ?? 0
    const wish: DeployWish = { ...atOnce, allowBreaking: true }
    const replaced = { current, next: baseVersion + 1, preRelease: false }
    const verdict = judgeDeploy({ projectId, next, earlier, wish }, replaced)
    if (verdict?._tag === "Refused") return verdict satisfies Leading
    const candidate = { bytes: bundle.length, ...next, step: verdict?.step ?? null }
    const asked = { projectId, bundle, baseVersion, candidate, sample: null }
    return { _tag: "Led", asked } satisfies Leading
  })
