import { FleetLimits } from "@atrium/domain/fleet/FleetLimits"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { type RoomClass, RoomClasses } from "@atrium/wire/rooms/RoomClass"
import { Context, Effect, Fiber, Layer, Schedule } from "effect"

import { logFailure } from "../store/StoreFailure.ts"
import { HomeStore } from "./HomeStore.ts"
import { RunnerFills, type ServerFills } from "./ServerFills.ts"
import { homeOf, serverIndexOf } from "./ServerIndex.ts"
import { ServerPlaces } from "./ServerPlaces.ts"
import { choosePlace, type Seen } from "./ServerPlacing.ts"

/** A room without a place, and the servers that have refused it. */
export interface Placing {
  readonly key: RoomKey
  readonly class: RoomClass
  /** Servers, by index. */
  readonly without: ReadonlySet<number>
  /** Homes that take no room any more. */
  readonly leaving: ReadonlySet<number>
}

/** The home of this runner, and what it knows of the others. */
export interface RunnerHome {
  readonly own: number
  /** The index of the server that the room is promised a place on; `null` = there is none. */
  place(placing: Placing): Effect.Effect<number | null>
  /** Sends a room to a runner: its next start is there. @returns false when no such runner lives */
  send(key: RoomKey, runner: string): Effect.Effect<boolean>
  /** The runner that has the home; `null` = there is no such home. */
  runnerOf(home: number): Effect.Effect<string | null>
  /** Waits until the runner of a home has ended: then none of its servers holds a room. */
  untilOver(home: number): Effect.Effect<void>
}

/** `null` = this runner is alone, and every server is here. */
export const ThisHome = Context.Reference<RunnerHome | null>("@atrium/actors/servers/ThisHome", {
  defaultValue: () => null
})

/** The home of a runner among others, which reports how full its servers are. */
export const thisHome = (own: number) =>
  Layer.effect(
    ThisHome,
    Effect.gen(function* () {
      const homes = yield* HomeStore
      const places = yield* ServerPlaces
      const fills = yield* RunnerFills
      yield* Effect.suspend(() => {
        const changed = fills.takeChanged()
        return changed.length === 0 ? Effect.void : places.report(own, changed)
      }).pipe(
        logFailure("the servers of this runner could not be reported", Effect.logWarning),
        Effect.repeat(Schedule.spaced(ServerLimits.fillReport.ms)),
        Effect.forkScoped
      )
      const isOver = (home: number) => Effect.orDie(homes.isOver(home))
      return {
        own,
        place: makePlace(own, places, fills),
        send: (key, runner) => Effect.orDie(places.send(key, runner)),
        runnerOf: (home) => Effect.orDie(places.runnerOf(home)),
        untilOver: Effect.fnUntraced(function* (home: number) {
          do yield* Effect.sleep(FleetLimits.homeLook.ms)
          while (!(yield* isOver(home)))
        })
      }
    })
  )

const makePlace = (own: number, places: ServerPlaces["Service"], fills: ServerFills) => {
  /** What this runner knows of its servers and of the rooms that it placed is newer than the table. */
  const known = ({ projectId }: RoomKey, seen: Seen): Seen => ({
    ...seen,
    servers: seen.servers.map((server) => {
      const at = { projectId, index: serverIndexOf(server.home, server.nth) }
      const held = server.home === own ? fills.heldOn(at) : server.cost
      return { ...server, cost: held + fills.promisedOn(at) }
    })
  })
  return Effect.fn("ServerPlaces.place")(
    function* ({ key, class: roomClass, without, leaving }: Placing) {
      const { cost } = RoomClasses[roomClass]
      for (let tried = 0; tried < ServerLimits.placingTries.max; tried++) {
        const seen = known(key, yield* places.look(key, cost))
        const chosen = choosePlace(seen, { class: roomClass, own, without, leaving })
        if (chosen === null) return null
        const { projectId } = key
        if (chosen._tag === "Started" && !(yield* places.claim({ ...chosen, projectId }))) continue
        const index =
          chosen._tag === "Held" ? chosen.serverIndex : serverIndexOf(chosen.home, chosen.nth)
        fills.promiseOn(key, { index, cost })
        return index
      }
      return null
    },
    (placing) => Effect.orDie(placing)
  )
}

/**
 * Asks a server of a runner that may end meanwhile: then no answer comes any more. This runner counts, too: one that
 * stood still for longer than its lease has lost its home, and has it again ten seconds later. Source: C-473.
 * @param over the answer of a runner that has ended
 */
export const unlessOver =
  <B, E2, R2>(serverIndex: number, over: Effect.Effect<B, E2, R2>) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A | B, E | E2, R | R2> =>
    Effect.flatMap(ThisHome, (here): Effect.Effect<A | B, E | E2, R | R2> => {
      const home = homeOf(serverIndex)
      if (home === 0) return call
      // A runner that is alone has no others beside it.
      if (here === null) return over
      const ended = Effect.andThen(untilOver(here, home), over)
      // The cluster goes on looking for a runner that could be told that the call is given up.
      return Effect.flatMap(Effect.forkDetach(call), (calling) =>
        Effect.raceFirst(Fiber.join(calling), ended).pipe(
          Effect.ensuring(Effect.forkDetach(Fiber.interrupt(calling)))
        )
      )
    })

/** A server of this runner is asked whether or not the store answers. */
const untilOver = (here: RunnerHome, home: number): Effect.Effect<void> =>
  home === here.own
    ? Effect.catchDefect(here.untilOver(home), () => Effect.never)
    : here.untilOver(home)
