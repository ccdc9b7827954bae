/** Players who wait meet in a room: `@atrium/sdk/match`. */
export { match, type MatchOptions, type MatchProgress, party, type Party } from "./match/Match.ts"
