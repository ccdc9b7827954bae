import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"
import { VoiceLimits } from "@atrium/wire/voice/VoiceLimits"
import { type MediaDescription, type RTCDtlsFingerprint, SessionDescription } from "werift"

import { MediaRefusal } from "../media/VoiceMedia.ts"

/** An audio line of an offer. */
interface AudioLine {
  readonly mid: string
  /** Of opus, as the client numbers it. */
  readonly payloadType: number
}

/** The connection that a client offers: its microphone, and its slots. */
export interface AudioOffer {
  readonly ufrag: string
  /** Empty = the offer names none. */
  readonly password: string
  /** The RTP streams that the microphone's line names. */
  readonly streams: ReadonlyArray<number>
  readonly fingerprints: ReadonlyArray<RTCDtlsFingerprint>
  /** `null` = the client has no microphone. */
  readonly microphone: (AudioLine & { readonly levelId: number | null }) | null
  readonly slots: ReadonlyArray<AudioLine>
  /** The mids of all lines, in their order. */
  readonly mids: ReadonlyArray<string>
}

const LevelUri = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"

const refuse = (why: string): never => {
  throw new MediaRefusal("E_BAD_MESSAGE", `voice: ${why}`)
}

/** Reads an offer. Its candidates are not looked at. Throws {@link MediaRefusal}. */
export const readOffer = (sdp: string): AudioOffer => {
  const session = parsed(sdp.replace(/^a=candidate:.*\r?\n/gm, ""))
  const [first] = session.media
  if (first === undefined) return refuse("the offer has no audio line")
  const { max } = VoiceMediaLimits.voiceOfferLines
  if (session.media.length > max) return refuse(`the offer has over ${max} lines`)
  if (session.media.some(({ kind }) => kind !== "audio")) {
    return refuse("the offer has a line that is no audio")
  }
  const mids = session.media.map(midOf)
  if (new Set(mids).size < mids.length) return refuse("two lines of the offer have one mid")
  const lines = session.media.flatMap((media) => audioLine(media) ?? [])
  const microphone = lines.find(({ direction }) => direction.startsWith("send"))
  const slots = lines
    .filter(({ direction }) => direction === "recvonly")
    .slice(0, VoiceLimits.voiceSlots.max)
  return {
    ufrag: first.iceParams?.usernameFragment || refuse("the offer has no ice-ufrag"),
    password: first.iceParams?.password ?? "",
    streams: streamsOf(session.media, microphone?.mid ?? null),
    fingerprints: fingerprintsOf(first),
    microphone: microphone ?? null,
    slots,
    mids
  }
}

const streamsOf = (media: ReadonlyArray<MediaDescription>, mid: string | null) =>
  media
    .filter(({ rtp }) => mid !== null && rtp.muxId === mid)
    .flatMap(({ ssrc }) => ssrc.map((stream) => stream.ssrc))

const fingerprintsOf = ({ dtlsParams }: MediaDescription): AudioOffer["fingerprints"] => {
  const fingerprints = dtlsParams?.fingerprints ?? []
  if (fingerprints.length === 0) return refuse("the offer has no fingerprint")
  return fingerprints.every(hasValue)
    ? fingerprints
    : refuse("a fingerprint of the offer has no value")
}

/** The types of werift say that both are there; a line without them leaves them undefined. */
const hasValue = ({ algorithm, value }: Partial<RTCDtlsFingerprint>): boolean =>
  Boolean(algorithm && value)

const parsed = (sdp: string): SessionDescription => {
  try {
    return SessionDescription.parse(sdp)
  } catch {
    return refuse("the offer is no SDP")
  }
}

/** A token of RFC 8866, as the answer repeats it. */
const midOf = ({ rtp }: MediaDescription): string => {
  const mid = rtp.muxId ?? ""
  return /^[A-Za-z0-9._-]{1,16}$/.test(mid) ? mid : refuse("a line of the offer has no mid")
}

/** `null` = the line has no opus, and is refused. */
const audioLine = (media: MediaDescription) => {
  const opus = media.rtp.codecs.find(({ mimeType }) => mimeType.toLowerCase() === "audio/opus")
  if (opus === undefined) return null
  const { payloadType } = opus
  if (!(payloadType >= 0 && payloadType <= 127)) return null
  const level = media.rtp.headerExtensions.find(({ uri }) => uri === LevelUri)?.id
  return {
    mid: midOf(media),
    direction: media.direction ?? "sendrecv",
    payloadType,
    levelId: level !== undefined && level >= 1 && level <= 14 ? level : null
  }
}

/** What the answer says of this side. */
export interface AnswerFacts {
  readonly ufrag: string
  readonly password: string
  readonly fingerprint: RTCDtlsFingerprint
  /** The addresses at which clients reach the port. */
  readonly addresses: ReadonlyArray<string>
  readonly port: number
  /** The RTP stream of each slot. */
  readonly streams: ReadonlyArray<number>
}

/** Opus without packets for silence, and with what it takes to hear over lost ones. */
const OpusParameters = "minptime=10;useinbandfec=1;usedtx=1;stereo=0"

/** Answers an offer: audio only, all of it over one port of UDP or TCP. */
export const writeAnswer = (offer: AudioOffer, facts: AnswerFacts): string => {
  const taken = [offer.microphone, ...offer.slots].flatMap((line) =>
    line === null ? [] : [line.mid]
  )
  const media = offer.mids.flatMap((mid) => {
    if (mid === offer.microphone?.mid) return lineOf(offer.microphone, facts, { receives: true })
    const slot = offer.slots.findIndex((line) => line.mid === mid)
    const line = offer.slots[slot]
    if (line === undefined) return ["m=audio 0 UDP/TLS/RTP/SAVPF 0", "a=inactive", `a=mid:${mid}`]
    return lineOf(line, facts, { receives: false, stream: facts.streams[slot] ?? 0, slot })
  })
  const session = [
    "v=0",
    "o=- 0 0 IN IP4 0.0.0.0",
    "s=-",
    "t=0 0",
    "a=ice-lite",
    `a=group:BUNDLE ${taken.join(" ")}`,
    "a=msid-semantic:WMS *"
  ]
  return [...session, ...media, ""].join("\r\n")
}

type LineUse =
  | { readonly receives: true }
  | { readonly receives: false; readonly stream: number; readonly slot: number }

const lineOf = (
  { mid, payloadType, levelId = null }: AudioLine & { readonly levelId?: number | null },
  facts: AnswerFacts,
  use: LineUse
): ReadonlyArray<string> => [
  `m=audio ${facts.port} UDP/TLS/RTP/SAVPF ${payloadType}`,
  "c=IN IP4 0.0.0.0",
  `a=mid:${mid}`,
  ...facts.addresses.flatMap((address, at) => candidatesOf(address, facts.port, at)),
  "a=end-of-candidates",
  `a=ice-ufrag:${facts.ufrag}`,
  `a=ice-pwd:${facts.password}`,
  `a=fingerprint:${facts.fingerprint.algorithm} ${facts.fingerprint.value}`,
  "a=setup:passive",
  "a=rtcp-mux",
  `a=rtpmap:${payloadType} opus/48000/2`,
  `a=fmtp:${payloadType} ${OpusParameters}`,
  ...(levelId === null ? [] : [`a=extmap:${levelId} ${LevelUri}`]),
  ...(use.receives ? ["a=recvonly"] : sendingLines(use.stream, use.slot))
]

const sendingLines = (stream: number, slot: number): ReadonlyArray<string> => [
  "a=sendonly",
  `a=msid:slot${slot} slot${slot}`,
  `a=ssrc:${stream} cname:slot${slot}`
]

// Host candidates (RFC 8445, 5.1.2.1): UDP before TCP, an address before those behind it.
const preference = (type: number, at: number): number =>
  type * 2 ** 24 + (65_535 - at) * 2 ** 8 + 255

const candidatesOf = (address: string, port: number, at: number): ReadonlyArray<string> => [
  `a=candidate:u${at} 1 udp ${preference(126, at)} ${address} ${port} typ host`,
  `a=candidate:t${at} 1 tcp ${preference(90, at)} ${address} ${port} typ host tcptype passive`
]
