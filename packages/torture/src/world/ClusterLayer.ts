import { shardingTimes } from "@atrium/actors/cluster/ShardingTimes"
import { Context, Effect, Layer, Option, Schema } from "effect"
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

import { addressOf, addressText, type ClusterState, type Member } from "./ClusterState.ts"
import type { Host } from "./Host.ts"
import type { StoreDoor } from "./StoreDoor.ts"

const codecFor = Schema.toCodecJson

/** A runner's place in the cluster of a world. */
export interface Place {
  readonly cluster: ClusterState
  readonly door: StoreDoor
  readonly host: Host
  readonly port: number
}

const storageLayer = ({ cluster, door, host }: Place) => {
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
export const clusterLayer = (place: Place, member: Member) => {
  const joined = Layer.effectDiscard(
    Effect.gen(function* () {
      member.sharding = yield* Sharding.Sharding
    })
  )
  const config = ShardingConfig.layer({
    ...shardingTimes,
    runnerAddress: Option.some(RunnerAddress.make("world", place.port)),
    shardsPerGroup: 12
  })
  return joined.pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provideMerge(RunnerHealth.layerPing),
    Layer.provideMerge(wireLayer(place)),
    Layer.provideMerge(storageLayer(place)),
    Layer.provideMerge(config),
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
