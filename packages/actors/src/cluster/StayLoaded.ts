import { Context, Effect, Option } from "effect"
import { ClusterSchema, Entity, Envelope, Message, Sharding } from "effect/cluster"
import { Headers } from "effect/http"

/**
 * Keeps the actor that makes it from being put away as idle, from a call with `true` to the next one
 * with `false`. Calls in between do nothing: each order stays with the actor until it may go.
 *
 * **Details** `Entity.keepAlive` stores a message and a reply with each call and removes neither:
 * two rows for every room that wakes. This sends the same order and stores nothing, as what it
 * protects does not survive the runner either.
 */
export const makeStayLoaded = () => {
  let stays = false
  return (holding: boolean) =>
    Effect.suspend(() => {
      if (holding === stays) return Effect.void
      stays = holding
      return stayLoaded(holding)
    })
}

/** The cluster's own order; there is no storage for messages that could keep it. */
const StayRpc = Entity.KeepAliveRpc.annotate(ClusterSchema.Persisted, false)

const stayLoaded = Effect.fn("Server.stayLoaded")(function* (holding: boolean) {
  // Every actor has it; its type says so of none.
  const latch = Option.getOrThrow(yield* Effect.serviceOption(Entity.KeepAliveLatch))
  if (!holding) {
    yield* latch.open
    return
  }
  const sharding = yield* Sharding.Sharding
  const address = yield* Entity.CurrentAddress
  const requestId = yield* sharding.getSnowflake
  latch.closeUnsafe()
  const order = new Message.OutgoingRequest({
    annotations: Context.empty(),
    rpc: StayRpc,
    context: Context.empty(),
    envelope: Envelope.makeRequest<typeof StayRpc>({
      requestId,
      address,
      tag: StayRpc._tag,
      payload: undefined,
      headers: Headers.empty
    }),
    lastReceivedReply: Option.none(),
    respond: () => Effect.void
  })
  yield* Effect.orDie(sharding.sendOutgoing(order, true))
})
