import { FrameHeaderBytes } from "@atrium/runtime/host/HostFrames"
import { Reports } from "@atrium/runtime/host/RoomReports"

import { HeldFrames } from "../HeldFrames.ts"
import type { Launch } from "../launcher/LauncherLink.ts"
import { StandardPace } from "../ProcessPace.ts"
import { RoomChild } from "../RoomChild.ts"
import { RoomHost } from "../RoomHost.ts"
import { makeSendWindow } from "../SendWindow.ts"

/** A host whose process weighs nothing. */
export const weightlessHost = (
  launch: Launch,
  { memoryMiB, physics = false, onExit }: WeightlessSettings
): RoomHost =>
  new RoomHost(
    (owner) => new RoomChild(launch, owner, makeSendWindow()),
    {
      memoryMiB,
      physics,
      pace: StandardPace,
      mappedBytesOf: () => Promise.resolve(null),
      memoryOf: () => ({ anonBytes: 0, dataBytes: 0, sizeBytes: 0 }),
      held: new HeldFrames()
    },
    onExit
  )

interface WeightlessSettings {
  readonly memoryMiB: number
  readonly physics?: boolean
  readonly onExit: ConstructorParameters<typeof RoomHost>[2]
}

const neverStarted: Launch = (owner) => () =>
  void setImmediate(() => owner.ended({ code: null, signal: "SIGKILL" }))

/** A process without a room that has booted. It says nothing by itself: its frames come from the test. */
export const silentSpare = () => {
  const host = weightlessHost(neverStarted, { memoryMiB: 64, onExit: () => undefined })
  const says = (frame: Uint8Array): void => {
    host.frame(frame[4] ?? 0, Buffer.from(frame.subarray(FrameHeaderBytes)))
    host.came(frame.length)
  }
  says(Reports.booted())
  return { host, says }
}
