/** Where players are: `@atrium/sdk/presence`. */
export {
  type PlayerPresence,
  presence,
  type PresenceWatch,
  watchPresence
} from "./presence/Presence.ts"
