import { BoardStore } from "@atrium/actors/boards/BoardStore"
import { OtherRunners } from "@atrium/actors/cluster/OtherRunners"
import { KvStore } from "@atrium/actors/kv/KvStore"
import { MatchStore } from "@atrium/actors/match/MatchStore"
import { StorageMeter } from "@atrium/actors/meters/StorageMeter"
import { StoredBytes } from "@atrium/actors/meters/StoredBytes"
import { SharedRates } from "@atrium/actors/rates/SharedRates"
import { RatingStore } from "@atrium/actors/ratings/RatingStore"
import { replayFolder } from "@atrium/actors/replay/ReplayRows"
import type { AnsweredCall } from "@atrium/actors/rooms/AnsweredCall"
import { RoomCalls } from "@atrium/actors/rooms/RoomCalls"
import { feature as boards } from "@atrium/api/boards/feature"
import { feature as kv } from "@atrium/api/kv/feature"
import { feature as match } from "@atrium/api/match/feature"
import { feature as presence } from "@atrium/api/presence/feature"
import { feature as ratings } from "@atrium/api/ratings/feature"
import { feature as replays } from "@atrium/api/replay/feature"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Effect, Exit, Layer } from "effect"

import { addressOf } from "./ClusterState.ts"
import type { Surroundings } from "./Surroundings.ts"

const usual = [kv, boards, ratings, match, presence] as const
type Feature = (typeof usual)[number] | typeof replays
/** Their sweep looks into the store, so that it is left out where no room records itself. */
const featuresOf = ({ films }: Surroundings): ReadonlyArray<Feature> =>
  films ? [...usual, replays] : usual

type NeedsOf<Call> = Call extends readonly [string, AnsweredCall<infer Needs>] ? Needs : never
type Answered = AnsweredCall<NeedsOf<Feature["calls"][number]>>

/** The in-room calls as `serviceLayer` of api answers them. */
const answersLayer = (around: Surroundings) => {
  const { calling } = around.parts.games
  const calls = featuresOf(around).flatMap<readonly [string, Answered]>((feature) => feature.calls)
  const answers = calls.map(([name, { rate, answer }]) => {
    const changed: Answered = { rate, answer: (room, payload) => answer(calling(room), payload) }
    return [name, changed] as const
  })
  return Layer.effectDiscard(Effect.flatMap(RoomCalls, ({ open }) => open(new Map(answers))))
}

const storesLayer = ({ parts: { games }, door }: Surroundings) =>
  Layer.mergeAll(
    Layer.effect(KvStore, Effect.map(KvStore, games.kv)),
    Layer.effect(BoardStore, Effect.map(BoardStore, games.boards)),
    Layer.effect(RatingStore, Effect.map(RatingStore, games.ratings)),
    Layer.effect(
      MatchStore,
      Effect.map(MatchStore, (store) => games.match(store, door.tables))
    )
  )

/** The meter of storage, of replays alone. */
const storageMeter = StorageMeter.pipe(
  Layer.provide(StoredBytes.layerMemory([{ folder: replayFolder }]))
)

/** The other runners, as api/start/OtherRunnersOf.ts has them. */
const othersLayer = ({ alone, cluster, door, host, port, parts }: Surroundings) => {
  if (alone) return Layer.empty
  const { ask } = door.of(host)
  const look = ask("runners", () => cluster.others(addressOf(port)))
  const found = Effect.cachedWithTTL(look, (exit) =>
    Exit.isSuccess(exit) ? StoreLimits.runnersLook.ms : 0
  )
  return Layer.effect(
    OtherRunners,
    Effect.map(found, (living) => ({ several: true, living: parts.games.others(living) }))
  )
}

/** The nouns that games are built from, as a runner has them. */
export const gamesLayer = (around: Surroundings) => {
  const features = featuresOf(around)
  const actors = features.flatMap<Feature["actors"][number]>((feature) => feature.actors)
  const layers = features.flatMap<Feature["layers"][number]>((feature) => feature.layers)
  return Layer.mergeAll(
    answersLayer(around),
    ...actors,
    ...(around.films ? [storageMeter] : [])
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(Layer.empty, ...layers)),
    Layer.provide(storesLayer(around)),
    // Rates over several runners ask by promises, which a world does not wait for.
    Layer.provide(SharedRates.layerAlone),
    Layer.provide(othersLayer(around))
  )
}
