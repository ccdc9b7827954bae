import { Effect } from "effect"
import { Entity } from "effect/cluster"

import { RoomActor } from "../RoomProtocol.ts"

type Handlers = Parameters<typeof RoomActor.of>[0]

const unasked = () => Effect.die(new Error("nobody asks this here"))

const nothing: Handlers = {
  Wake: unasked,
  ProcessExited: unasked,
  PutAway: unasked,
  Move: unasked,
  MakeWay: unasked,
  Stop: unasked,
  Delete: unasked,
  Sweep: unasked,
  Set: unasked,
  Restore: unasked,
  TakeRestore: unasked
}

/** Actors of rooms that answer as a test says. @param answers of the room of that key, as a text */
export const fakeRooms = (answers: (key: string) => Partial<Handlers>) =>
  RoomActor.toLayer(
    Effect.map(Entity.CurrentAddress, ({ entityId }) =>
      RoomActor.of({ ...nothing, ...answers(entityId) })
    )
  )
