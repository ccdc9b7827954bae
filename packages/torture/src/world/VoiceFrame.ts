import { ServerFrame } from "@atrium/wire/frames/Frame"

/** Tells a frame of a room's call from those of the room itself: what rooms of a world say is JSON. */
export const isVoiceFrame = ([first = 0, type]: Uint8Array): boolean =>
  (first & 0xf0) === 0x90 && type === ServerFrame.voice
