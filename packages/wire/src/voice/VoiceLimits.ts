import { KiB, count, range, size } from "../limits/Limit.ts"

/** Voice calls, as clients, room code and the service know them. Source: D-59. */
export const VoiceLimits = {
  voiceParticipants: range("Participants of a voice call that a room type may declare", {
    min: 2,
    max: 32,
    per: "room type",
    past: "definition throws"
  }),
  voiceSdpBytes: size("SDP in a voice frame", {
    max: 16 * KiB,
    per: "frame",
    past: "E_BAD_MESSAGE"
  }),
  voiceSlots: count("Speakers that a participant hears at once: the loudest", {
    max: 3,
    per: "participant",
    past: "the quieter ones are not forwarded"
  }),
  voiceGroups: count("Groups that a client speaks to, and groups that it hears", {
    max: 8,
    per: "client",
    past: "the call throws"
  }),
  voiceGroupBytes: size("Name of a voice group", { max: 32, per: "group", past: "the call throws" })
} as const
