import { platformPort } from "../client/PlatformPort.ts"

/** What a call uses of a browser; tests give their own. */
export interface VoicePort {
  readonly RTCPeerConnection: new (settings?: RTCConfiguration) => RTCPeerConnection
  readonly AudioContext: new () => AudioContext
  readonly Audio: new () => HTMLAudioElement
  readonly MediaStream: new (tracks: Array<MediaStreamTrack>) => MediaStream
  readonly getUserMedia: (wanted: MediaStreamConstraints) => Promise<MediaStream>
  readonly elapsedMs: () => number
  /** In [0, 1). */
  readonly random: () => number
  readonly after: (waitMs: number, run: () => void) => () => void
}

/** The browser. Throws where there is no WebRTC, as in Node. */
export const browserPort = (): VoicePort => {
  if (typeof RTCPeerConnection === "undefined") throw new Error("voice: there is no WebRTC here")
  return {
    RTCPeerConnection,
    AudioContext,
    Audio,
    MediaStream,
    getUserMedia: (wanted) => navigator.mediaDevices.getUserMedia(wanted),
    elapsedMs: platformPort.elapsedMs,
    after: platformPort.after,
    random: () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32
  }
}
