import { endedHomes, homeLocks } from "@atrium/actors/cluster/HomeLocks"
import { EndedRunners, leasedLocks } from "@atrium/actors/cluster/LeasedLocks"
import { RunnerEnds } from "@atrium/actors/cluster/RunnerEnds"
import { shardingTimes } from "@atrium/actors/cluster/ShardingTimes"
import { ShardLeases } from "@atrium/actors/cluster/ShardLeases"
import { type HomeKey, HomeStore } from "@atrium/actors/servers/HomeStore"
import { groupOf } from "@atrium/actors/servers/ServerIndex"
import { ServerPlaces } from "@atrium/actors/servers/ServerPlaces"
import { thisHome } from "@atrium/actors/servers/ThisHome"
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import {
  ClusterError,
  Message,
  MessageStorage,
  Reply,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  Snowflake
} from "effect/cluster"
import type { Rpc } from "effect/rpc"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

import { addressOf, addressText, type ClusterState, type Member } from "./ClusterState.ts"
import type { HomesState } from "./HomesState.ts"
import type { Host } from "./Host.ts"
import type { StoreDoor } from "./StoreDoor.ts"

const codecFor = Schema.toCodecJson

/** A runner's place in the cluster of a world. */
export interface Place {
  readonly cluster: ClusterState
  readonly homes: HomesState
  /** Servers are on the runner that a hash names: a wrong world. */
  readonly areHashed: boolean
  readonly door: StoreDoor
  readonly host: Host
  readonly port: number
}

/** As `atHome` in api/start/Runner.ts. */
const storageLayer = (place: Place, key: HomeKey) => {
  const leases = new ShardLeases({
    forMs: Duration.toMillis(shardingTimes.shardLockExpiration),
    nowMs: () => machineMsOf(place.host)
  })
  return leasedLocks(leases).pipe(
    Layer.provide(homeLocks(key)),
    Layer.provide(locksLayer(place)),
    Layer.provide(Layer.provide(endedHomes, endedLayer(place)))
  )
}

const machineMsOf = (host: Host): number => Number(host.monotonicTimeNanosUnsafe() / 1_000_000n)

/** Runners that the database has lost sight of, as api/start/EndedRunners.ts asks for them. */
const endedLayer = ({ cluster, door, host }: Place) =>
  Layer.sync(EndedRunners, () => {
    const ends = new RunnerEnds()
    return door
      .asked(host, () => cluster.seen())
      .pipe(
        Effect.map((seen) => ends.look(seen, machineMsOf(host))),
        Effect.catch(() => Effect.succeed(new Set<string>()))
      )
  })

/** The tables of homes and of the places of servers. */
const homesLayer = ({ homes, door, host }: Place) => {
  const ask = <A>(transaction: () => A): Effect.Effect<A, SqlError> =>
    Effect.mapError(
      door.asked(host, transaction),
      ({ because }) => new SqlError({ reason: new ConnectionError({ cause: new Error(because) }) })
    )
  return Layer.merge(
    Layer.succeed(HomeStore, {
      open: (runner, session) => ask(() => homes.open(runner, session)),
      take: (key) => ask(() => homes.take(key)),
      renew: (key) => ask(() => homes.renew(key)),
      close: (key) => ask(() => homes.close(key)),
      giveUp: (ended) => ask(() => homes.giveUp(ended)),
      isOver: (home) => ask(() => homes.isOver(home))
    }),
    Layer.succeed(ServerPlaces, {
      look: (key, cost) => ask(() => homes.look(key, cost)),
      claim: (claim) => ask(() => homes.claim(claim)),
      report: (home, fills) => ask(() => homes.report(home, fills)),
      // Nobody sends a room of a world anywhere.
      send: () => Effect.succeed(false),
      runnerOf: (home) => ask(() => homes.runnerOf(home))
    })
  )
}

const locksLayer = ({ cluster, door, host }: Place) => {
  const ask = <A>(transaction: () => A): Effect.Effect<A, ClusterError.PersistenceError> =>
    Effect.mapError(
      door.asked(host, transaction),
      ({ because }) => new ClusterError.PersistenceError({ cause: new Error(because) })
    )
  return Layer.succeed(RunnerStorage.RunnerStorage, {
    register: (runner, healthy) => ask(() => cluster.register(runner, healthy)),
    unregister: (address) => ask(() => cluster.unregister(addressText(address))),
    getRunners: ask(() => cluster.runners()),
    setRunnerHealth: (address, healthy) =>
      ask(() => cluster.setHealth(addressText(address), healthy)),
    acquire: (address, shards) => ask(() => cluster.acquire(addressText(address), shards)),
    refresh: (address, shards) => ask(() => cluster.refresh(addressText(address), shards)),
    release: (address, shard) => ask(() => cluster.release(addressText(address), shard.toString())),
    releaseAll: (address) => ask(() => cluster.releaseAll(addressText(address)))
  })
}

/** The answer of a runner to a message: an effect that the sender continues with. */
type Answer = Effect.Effect<void, SendError>
type SendError = Effect.Error<ReturnType<Runners.Runners["Service"]["send"]>>

/** Serves a message on the runner that it was sent to. */
const served = <R extends Rpc.Any>(
  { sharding, context }: Member,
  message: Message.Outgoing<R>
): Effect.Effect<Answer, SendError> => {
  if (sharding === null) return Effect.never
  if (message._tag === "OutgoingEnvelope") {
    const envelope = new Message.IncomingEnvelope({ envelope: message.envelope })
    return Effect.as(sharding.send(envelope), Effect.void)
  }
  return Effect.flatMap(Effect.orDie(Message.serializeRequest(message, codecFor)), (envelope) =>
    Effect.callback<Answer, SendError>((answer) => {
      const incoming = new Message.IncomingRequest<R>({
        envelope,
        lastSentReply: Option.none(),
        codecFor,
        respond: (reply) =>
          Effect.map(Reply.serializeOrDefect(reply, codecFor), (encoded) =>
            answer(Effect.succeed(told(message, encoded)))
          )
      })
      Effect.runForkWith(context)(sharding.send(incoming)).addObserver((exit) => {
        if (exit._tag === "Failure") answer(Effect.failCause(exit.cause))
      })
    })
  )
}

/** The reply, as the asking side reads it. */
const told = <R extends Rpc.Any>(message: Message.OutgoingRequest<R>, encoded: unknown): Answer =>
  Schema.decodeUnknownEffect(Reply.Reply(message.rpc, codecFor))(encoded).pipe(
    Effect.orDie,
    Effect.provideContext(message.context),
    Effect.flatMap((reply) => message.respond(reply))
  )

const wireLayer = ({ cluster, host, port }: Place) => {
  const self = addressOf(port)
  const send: Runners.Runners["Service"]["send"] = ({ address, message }) =>
    Effect.callback((resume) => {
      const to = addressText(address)
      const member = cluster.members.get(to)
      const gone = (): void => {
        host.after(1 + cluster.chance.below(3), () =>
          resume(Effect.fail(new ClusterError.RunnerUnavailable({ address })))
        )
      }
      if (member === undefined || member.sharding === null || !cluster.isReached(to)) return gone()
      const [askLost, replyLost] = [cluster.isLost(), cluster.isLost()]
      // The connection breaks, and the sender hears of that.
      if (askLost) return gone()
      member.host.onDeath(gone)
      member.host.after(cluster.travelMs(self, to), () => {
        Effect.runForkWith(member.context)(served(member, message)).addObserver((exit) => {
          if (replyLost) return gone()
          const answer = exit._tag === "Success" ? exit.value : Effect.failCause(exit.cause)
          host.after(cluster.travelMs(to, self), () => resume(answer))
        })
      })
    })
  const ping: Runners.Runners["Service"]["ping"] = (address) =>
    Effect.callback((resume) => {
      const to = addressText(address)
      const gone = Effect.fail(new ClusterError.RunnerUnavailable({ address }))
      if (!cluster.isReached(to) || cluster.cut.has(self)) {
        host.after(1, () => resume(gone))
        return
      }
      cluster.members.get(to)?.host.after(cluster.travelMs(self, to), () => {
        host.after(cluster.travelMs(to, self), () => resume(Effect.void))
      })
    })
  return Layer.effect(
    Runners.Runners,
    Runners.make({
      codecFor,
      ping,
      send,
      notify: () => Effect.void,
      onRunnerUnavailable: () => Effect.void
    })
  ).pipe(Layer.provide(Snowflake.layerGenerator))
}

/**
 * The cluster of one runner: Effect's own sharding, on the world's store and wire. Only what reaches
 * other runners is played.
 */
export const clusterLayer = (place: Place, member: Member) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const session = place.host.name
      const home = yield* (yield* HomeStore).open(addressOf(place.port), session)
      return atHome(place, member, { home, session })
    })
  ).pipe(Layer.provide(homesLayer(place)), Layer.orDie)

const atHome = (place: Place, member: Member, key: HomeKey) => {
  const joined = Layer.effectDiscard(
    Effect.gen(function* () {
      member.sharding = yield* Sharding.Sharding
    })
  )
  const groups = [...shardingTimes.availableShardGroups, groupOf(key.home)]
  const config = ShardingConfig.layer({
    ...shardingTimes,
    availableShardGroups: groups,
    assignedShardGroups: groups,
    runnerAddress: Option.some(RunnerAddress.make("world", place.port)),
    shardsPerGroup: 12
  })
  return joined.pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provideMerge(RunnerHealth.layerPing),
    Layer.provideMerge(wireLayer(place)),
    Layer.provideMerge(storageLayer(place, key)),
    Layer.provideMerge(config),
    Layer.provideMerge(place.areHashed ? Layer.empty : thisHome(key.home)),
    Layer.provideMerge(MessageStorage.layerNoop)
  )
}

/** A runner that knows of no other one, as `alone` in api/start/Runner.ts. */
export const aloneLayer = Sharding.layer.pipe(
  Layer.provideMerge(Runners.layerNoop),
  Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
  Layer.provide(ShardingConfig.layer(shardingTimes)),
  Layer.provideMerge(MessageStorage.layerNoop)
)

export const memberOf = (host: Host): Member => ({
  host,
  sharding: null,
  context: Context.empty()
})
