import { VoiceLimits } from "@atrium/wire/voice/VoiceLimits"
import { type MediaDescription, SessionDescription } from "werift"

import { MediaRefusal } from "../media/VoiceMedia.ts"
import type { AudioOffer } from "../werift/AudioSdp.ts"

// Janus reads no word of a client: SDP for it is written anew, from fields that are checked one by one. No
// candidate is among them: a client's connection comes to Janus, and never the other way. Source: C-899.

const LevelUri = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"

const refuse = (why: string): never => {
  throw new MediaRefusal("E_BAD_MESSAGE", `voice: ${why}`)
}

/** One connection's side of a client. */
interface ClientSide {
  readonly ufrag: string
  readonly password: string
  readonly fingerprints: ReadonlyArray<{ readonly algorithm: string; readonly value: string }>
  readonly setup: "actpass" | "active" | "passive"
}

/** By RFC 8839 and RFC 8122; anything else could begin a line of its own. */
const checked = (side: ClientSide): ClientSide => {
  if (!/^[A-Za-z0-9+/]{4,256}$/.test(side.ufrag)) return refuse("the SDP has no ice-ufrag")
  if (!/^[A-Za-z0-9+/]{22,256}$/.test(side.password)) return refuse("the SDP has no ice-pwd")
  const isGood = ({ algorithm, value }: ClientSide["fingerprints"][number]) =>
    /^[A-Za-z0-9-]{1,16}$/.test(algorithm) && /^[0-9A-Fa-f:]{1,200}$/.test(value)
  if (side.fingerprints.length === 0 || !side.fingerprints.every(isGood)) {
    return refuse("the SDP has no fingerprint")
  }
  return side
}

const sessionLines = (mids: ReadonlyArray<string>): ReadonlyArray<string> => [
  "v=0",
  "o=- 1 1 IN IP4 127.0.0.1",
  "s=-",
  "t=0 0",
  `a=group:BUNDLE ${mids.join(" ")}`
]

const audioLines = (
  { ufrag, password, fingerprints, setup }: ClientSide,
  { mid, payloadType }: { readonly mid: string; readonly payloadType: number }
): ReadonlyArray<string> => [
  `m=audio 9 UDP/TLS/RTP/SAVPF ${payloadType}`,
  "c=IN IP4 0.0.0.0",
  `a=mid:${mid}`,
  `a=ice-ufrag:${ufrag}`,
  `a=ice-pwd:${password}`,
  ...fingerprints.map(({ algorithm, value }) => `a=fingerprint:${algorithm} ${value}`),
  `a=setup:${setup}`,
  "a=rtcp-mux",
  `a=rtpmap:${payloadType} opus/48000/2`,
  `a=fmtp:${payloadType} minptime=10;useinbandfec=1;usedtx=1`
]

/** The offer of a client's microphone, as Janus gets it; `null` = the client has none. */
export const microphoneOffer = (offer: AudioOffer): string | null => {
  const { microphone, streams } = offer
  const side = checked({ ...offer, setup: "actpass" })
  if (microphone === null) return null
  const { mid, levelId } = microphone
  const lines = [
    ...sessionLines([mid]),
    ...audioLines(side, microphone),
    ...(levelId === null ? [] : [`a=extmap:${levelId} ${LevelUri}`]),
    "a=sendonly",
    ...streams.slice(0, 2).map((stream) => `a=ssrc:${stream >>> 0} cname:microphone`),
    ""
  ]
  return lines.join("\r\n")
}

/** The answer for the client: what Janus says of the microphone, and no other line of the offer. */
export const microphoneAnswer = ({ mids, microphone }: AudioOffer, sdp: string | null): string => {
  const [session = "", line = ""] = sdp?.split(/(?=^m=)/m) ?? [emptySession]
  const media = mids.map((mid) => (mid === microphone?.mid ? line : refusedLine(mid)))
  return [session, ...media].join("")
}

const emptySession = ["v=0", "o=- 0 0 IN IP4 0.0.0.0", "s=-", "t=0 0", ""].join("\r\n")

const refusedLine = (mid: string): string =>
  ["m=audio 0 UDP/TLS/RTP/SAVPF 0", "c=IN IP4 0.0.0.0", "a=inactive", `a=mid:${mid}`, ""].join(
    "\r\n"
  )

/** The mids of the lines of an offer of Janus. */
export const midsIn = (offer: string): ReadonlyArray<string> =>
  Array.from(offer.matchAll(/^a=mid:([A-Za-z0-9._-]{1,16})\r?$/gm), ([, mid = ""]) => mid)

/** A client's answer to the offer of its slots, as Janus gets it. Throws {@link MediaRefusal}. */
export const slotsAnswer = (answer: string, mids: ReadonlyArray<string>): string => {
  const { media } = parsed(answer.replace(/^a=candidate:.*\r?\n/gm, ""))
  const [first] = media
  if (first === undefined || media.length !== mids.length)
    return refuse("the answer has other lines")
  const fingerprints = first.dtlsParams?.fingerprints ?? []
  const side = checked({
    ufrag: first.iceParams?.usernameFragment ?? "",
    password: first.iceParams?.password ?? "",
    fingerprints: fingerprints.filter(({ algorithm, value }) => Boolean(algorithm && value)),
    setup: first.dtlsParams?.role === "server" ? "passive" : "active"
  })
  const lines = mids.flatMap((mid, at) => [
    ...audioLines(side, { mid, payloadType: opusIn(media[at]) }),
    "a=recvonly"
  ])
  return [...sessionLines(mids), ...lines, ""].join("\r\n")
}

const parsed = (sdp: string): SessionDescription => {
  if (sdp.length > VoiceLimits.voiceSdpBytes.max) return refuse("the answer is too long")
  try {
    return SessionDescription.parse(sdp)
  } catch {
    return refuse("the answer is no SDP")
  }
}

const opusIn = (media: MediaDescription | undefined): number => {
  const opus = media?.rtp.codecs.find(({ mimeType }) => mimeType.toLowerCase() === "audio/opus")
  const payloadType = opus?.payloadType ?? -1
  return payloadType >= 0 && payloadType <= 127 ? payloadType : refuse("the answer has no opus")
}
