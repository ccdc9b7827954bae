/** Leaderboards: `@atrium/sdk/leaderboard`. */
export {
  around,
  type BoardAround,
  type BoardRow,
  type BoardScores,
  type BoardTop,
  top
} from "./leaderboard/Leaderboard.ts"
