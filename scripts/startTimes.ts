import { measureStarts, startsText } from "./startTimes/StartTimes.ts"

/** Prints how long the packed `atrium` takes to start, beside `node -e 0`. */
const rounds = Number(process.argv[2] ?? 15)
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error("usage: npm run bench:start [-- rounds]")
  process.exit(2)
}
console.log(startsText(await measureStarts(rounds)))
