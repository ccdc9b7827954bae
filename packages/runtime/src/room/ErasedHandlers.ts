import type { PhysicsEngine } from "../physics/PhysicsEngine.ts"
import type { JoinAttempt, Room } from "./Room.ts"
import type { RoomClient } from "./RoomClient.ts"

type MessageHandler = (room: Room, client: RoomClient, ...rest: ReadonlyArray<unknown>) => unknown

/**
 * The handlers of any room type, as the runtime calls them: payloads were read by the schema, whose
 * types are gone at run time.
 */
export interface ErasedHandlers {
  readonly physics?: PhysicsEngine
  readonly sharing?: boolean
  onAuth?(room: Room, attempt: JoinAttempt): unknown
  onCreate?(room: Room): unknown
  onJoin?(room: Room, client: RoomClient): unknown
  onDrop?(room: Room, client: RoomClient): unknown
  onReconnect?(room: Room, client: RoomClient): unknown
  onLeave?(room: Room, client: RoomClient, how: { readonly consented: boolean }): unknown
  readonly onMessage?: { readonly [name: string]: MessageHandler | undefined }
  readonly rpc?: { readonly [name: string]: MessageHandler | undefined }
  onTick?(room: Room, step: { readonly dtMs: number; readonly tick: number }): unknown
  onAlarm?(room: Room, name: string): unknown
  onDispose?(room: Room): unknown
}
