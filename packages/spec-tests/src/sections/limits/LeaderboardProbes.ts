import { isRefusal } from "../../check/Answers.ts"
import type { Probe } from "../../check/Check.ts"
import { holds, same } from "../../check/Expect.ts"
import { boundaryChecks } from "../../families/Boundary.ts"
import { isRefusedAs, isTaken, outcomeOf } from "../../families/Outcome.ts"
import { BoardStage, withBoards } from "../../trial/BoardStage.ts"
import { RoomStage } from "../../trial/RoomStage.ts"
import { done, runnerOf } from "../resources/FileCommands.ts"
import { noProject } from "../RouteCall.ts"
import { rowOf } from "../Section.ts"
import { held } from "../states/HeldTime.ts"
import { dayMs, minuteMs } from "../Units.ts"

const main = { main: { direction: "higher" } } as const

/** So many players, the last of them with the highest score. */
const filled = async (on: BoardStage, players: number): Promise<void> => {
  for (let score = 1; score <= players; score++) await on.submit({ player: `p${score}`, score })
}

export const readsTopAndAround: Probe = {
  title:
    "anybody with the project's id reads the first scores of a board, and those around a player",
  run: withBoards(main, async (on, trial) => {
    await filled(on, 3)
    await on.submit({ player: "late", score: 3 })
    same("the first scores", await on.shown(), ["1 p3 3", "2 late 3", "3 p2 2", "4 p1 1"])
    same("two of them", await on.shown({ most: 2 }), ["1 p3 3", "2 late 3"])
    const around = { around: "p2", most: 1 }
    same("around a player", await on.shown(around), ["2 late 3", "3 p2 2", "4 p1 1"])
    const path = trial.codecs.boardPath(noProject(trial), { board: "main" })
    const unknown = await trial.send({ method: "GET", path })
    trial.chosen("D-26", () => isRefusal(trial, unknown, rowOf("error", "error.http.E_NOT_FOUND")))
    const refused = outcomeOf(trial, await on.ask({ board: "lost" }))
    const outcome = { status: 404, code: "E_BOARD_UNKNOWN" }
    isRefusedAs(trial, "an unknown board", { got: refused, outcome, decision: "C-586" })
  })
}

export const showsMostRows = (id: "lb.top" | "lb.around"): Probe => ({
  title:
    id === "lb.top"
      ? "a top read has 10 rows, or as many as it asks for up to 100"
      : "an around read has 5 neighbours on each side, or as many as it asks for up to 25",
  timeoutMs: 60_000,
  run: withBoards(main, async (on, trial) => {
    const { is } = rowOf("statement", `${id}.default`)
    const bound = rowOf("boundary", `${id}.max`)
    const [around, counted] = id === "lb.top" ? [{}, 1] : [{ around: "p52" }, 2]
    await filled(on, 103)
    const rowsOf = async (most?: number): Promise<number> => {
      const read = await on.read({ ...around, ...(most === undefined ? {} : { most }) })
      return (read.rows.length - counted + 1) / counted
    }
    same("rows by default", await rowsOf(), is?.["rows"] ?? is?.["rowsEachSide"])
    same("the most rows", await rowsOf(bound.accept), bound.accept)
    const past = await on.ask({ ...around, most: bound.accept + 1 })
    const got = outcomeOf(trial, past)
    const { outcome } = bound
    isRefusedAs(trial, "one more", { got, outcome, decision: "D-34" })
  })
})

export const takesScores: Probe = {
  title: "a score is a whole number within the safe range, and is shown as it was submitted",
  timeoutMs: 60_000,
  run: withBoards({ main: { direction: "higher", mode: "last" } }, async (on, trial) => {
    const bound = rowOf("boundary", "lb.score")
    let inForce: number | null = null
    const intact = async (): Promise<void> => {
      const { rows } = await on.read()
      same("the score on the board", rows[0]?.score ?? null, inForce)
    }
    await boundaryChecks(trial, bound, {
      attempt: async ({ size }) => {
        const got = await on.attempt({ player: "ann", score: size })
        if (got.taken) inForce = size
        return got
      },
      intact,
      smallest: -bound.refuse,
      runs: 10
    })
    for (const score of [0.5, -1.25, Number.NaN, Infinity, -Infinity]) {
      const got = await on.attempt({ player: "ann", score })
      isRefusedAs(trial, `a score of ${score}`, { got, outcome: {} })
      await intact()
    }
    await on.submit({ player: "ann", score: -0 })
    const { rows } = await on.read()
    holds("a score of -0 is shown as 0", Object.is(rows[0]?.score, 0), rows[0])
  })
}

export const countsRows: Probe = {
  title: "a project has 1,000,000 scores over all its boards, and no new player's more",
  timeoutMs: 180_000,
  run: withBoards({ ...main, other: { direction: "lower" } }, async (on, trial) => {
    const { accept, outcome } = rowOf("boundary", "lb.rows")
    const seeded = { counter: "scores", board: "main", count: accept - 1 }
    await trial.control.seed(on.stage.project.id, seeded)
    isTaken("the last row", await on.attempt({ player: "last", score: 7, board: "other" }))
    const past = await on.attempt({ player: "over", score: 7, board: "other" })
    isRefusedAs(trial, "one more row", { got: past, outcome, decision: "D-34" })
    const better = { player: "last", score: 6, board: "other" }
    isTaken("a score of a player who has one", await on.attempt(better))
    same("the other board", await on.shown({ board: "other" }), ["1 last 6"])
    await on.declare({ ...main })
    const { rows } = await on.read({ around: "seed-500000", most: 1 })
    same("the rank in the middle", rows[1]?.rank, 500_000)
  })
}

export const ranksByDirection: Probe = {
  title: "the highest or the lowest score is the first, as the board says",
  run: withBoards({ ...main, laps: { direction: "lower" } }, async (on) => {
    for (const [player, score] of [
      ["ann", 5],
      ["bob", -9],
      ["cid", 7]
    ] as const) {
      await on.submit({ player, score })
      await on.submit({ player, score, board: "laps" })
    }
    same("higher", await on.shown(), ["1 cid 7", "2 ann 5", "3 bob -9"])
    same("lower", await on.shown({ board: "laps" }), ["1 bob -9", "2 ann 5", "3 cid 7"])
    // A worse score changes nothing, a better one does.
    await on.submit({ player: "ann", score: 4 })
    await on.submit({ player: "ann", score: 4, board: "laps" })
    same("higher, after a worse one", await on.shown({ most: 2 }), ["1 cid 7", "2 ann 5"])
    same("lower, after a better one", await on.shown({ board: "laps", most: 2 }), [
      "1 bob -9",
      "2 ann 4"
    ])
  })
}

export const separatesBuckets: Probe = {
  title: "buckets keep scores apart, and a board has none unless it says so",
  run: withBoards({ ...main, split: { direction: "higher", buckets: true } }, async (on, trial) => {
    const split = { player: "ann", board: "split" } as const
    await on.submit({ ...split, score: 1, bucket: "eu" })
    await on.submit({ ...split, score: 2, bucket: "us" })
    const shown = (bucket: string) => on.shown({ board: "split", bucket })
    same("one bucket", await shown("eu"), ["1 ann 1"])
    same("another", await shown("us"), ["1 ann 2"])
    same("one that nobody used", await shown("asia"), [])
    const refused = { outcome: {}, decision: "C-585" }
    const withBucket = await on.attempt({ player: "ann", score: 1, bucket: "eu" })
    isRefusedAs(trial, "a bucket of a board without", { got: withBucket, ...refused })
    const without = await on.attempt({ ...split, score: 1 })
    isRefusedAs(trial, "no bucket of a board with buckets", { got: without, ...refused })
    await on.submit({ player: "ann", score: 3 })
    same("a board without buckets", await on.shown(), ["1 ann 3"])
  })
}

const kinds = { daily: dayMs, weekly: 7 * dayMs, monthly: 31 * dayMs } as const

export const separatesPeriods: Probe = {
  alone: true,
  timeoutMs: 120_000,
  title: "each day, week, month and season has scores of its own, and past ones can be read",
  run: async (trial) => {
    const boards = Object.fromEntries(
      Object.keys(kinds).map((period) => [period, { direction: "higher", period }])
    )
    const season = (name: string) => ({ direction: "higher", period: `season:${name}` }) as const
    await withBoards({ ...boards, cup: season("one") }, async (on) => {
      await held(trial)
      for (const [board, longestMs] of Object.entries(kinds)) {
        await on.submit({ player: "ann", score: 5, board })
        const { period } = await on.read({ board })
        await on.part()
        await trial.control.advance(longestMs)
        same(`a new period, ${board}`, await on.shown({ board }), [])
        await on.submit({ player: "ann", score: 3, board })
        same(`its scores, ${board}`, await on.shown({ board }), ["1 ann 3"])
        holds(`${board}: a period has a name`, period !== null, period)
        const past = { board, period: period ?? "" }
        same(`the period before, ${board}`, await on.shown(past), ["1 ann 5"])
      }
      await on.submit({ player: "ann", score: 9, board: "cup" })
      const { period } = await on.read({ board: "cup" })
      await on.declare({ cup: season("two") })
      same("a new season", await on.shown({ board: "cup" }), [])
      same("the one before", await on.shown({ board: "cup", period: period ?? "" }), ["1 ann 9"])
    })(trial)
  }
}

/** As many past periods as a board keeps; older ones go with the next sweep. */
export const keepsPeriods = (keep: number | null): Probe => ({
  alone: true,
  timeoutMs: 180_000,
  title: `a board keeps ${keep ?? "12"} past periods, and the older ones go`,
  run: withBoards(
    { main: { direction: "higher", period: "daily", ...(keep === null ? {} : { keep }) } },
    async (on, trial) => {
      const kept = keep ?? rowOf("keep", "boards.keep.default").newest ?? 0
      await held(trial)
      const periods: Array<string> = []
      for (let day = 0; day <= kept + 1; day++) {
        await on.submit({ player: "ann", score: day })
        periods.push((await on.read()).period ?? "")
        await on.part()
        if (day <= kept) await trial.control.advance(dayMs)
      }
      await trial.control.advance(16 * minuteMs)
      const [oldest = "", ...newest] = periods
      const isThere = async (period: string) => (await on.shown({ period })).length > 0
      await trial.until("the oldest period is gone", async () =>
        (await isThere(oldest)) ? null : true
      )
      for (const period of newest) holds(`${period} is kept`, await isThere(period), "gone")
    }
  )
})

export const losesRemovedBoards: Probe = {
  needs: ["seed"],
  timeoutMs: 60_000,
  title: "a board that a deploy removes loses its scores, and the others keep theirs",
  run: async (trial) => {
    const project = await trial.project()
    const on = new BoardStage(trial, new RoomStage(trial, project))
    const run = await runnerOf(trial, project)
    const deployed = async (boards: {
      readonly [name: string]: { readonly direction: string }
    }) => {
      const files = { project: project.id, boards }
      done(`a deploy with ${JSON.stringify(boards)}`, await run("deploy", files))
    }
    const players = async (board: string) =>
      (await on.read({ board })).rows.map(({ player }) => player)
    const other = { other: { direction: "lower" } }
    await deployed({ ...main, ...other })
    for (const board of ["main", "other"]) {
      await trial.control.seed(project.id, { counter: "scores", board, count: 2 })
      same(`the scores of ${board}`, await players(board), ["seed-1", "seed-2"])
    }
    await deployed(other)
    same("the removed board", (await on.ask()).status, 404)
    await deployed({ ...main, ...other })
    same("the removed board, declared anew", await players("main"), [])
    same("the other board", await players("other"), ["seed-1", "seed-2"])
  }
}

export const outlivesRooms: Probe = {
  title: "scores outlive the room that submitted them",
  run: withBoards(main, async (on) => {
    await on.submit({ player: "ann", score: 5 })
    await on.leave()
    same("the status of the delete", (await on.stage.remove("scores")).status, 200)
    same("after it", await on.shown(), ["1 ann 5"])
    await on.submit({ player: "bob", score: 6 })
    same("the forced one", (await on.stage.remove("scores", "?force=true")).status, 200)
    same("after a forced one", await on.shown(), ["1 bob 6", "2 ann 5"])
  })
}

const methods = ["POST", "PUT", "PATCH", "DELETE"] as const

/** No request changes a board, whatever credential it has. */
export const writtenInRoomsOnly: Probe = {
  title: "no request writes a score, not with a login and not with a key of every scope",
  run: withBoards(main, async (on, trial) => {
    const { project } = on.stage
    await on.submit({ player: "ann", score: 5 })
    const { secret } = await project.key("rooms:read", "rooms:write")
    const body = { project: project.id, board: "main", player: "eve", playerId: "eve", score: 9 }
    const paths = ["main", "main/top", "main/eve", "main/around/eve", "main/around/ann"]
    for (const bearer of [undefined, secret, project.login]) {
      for (const method of methods) {
        for (const path of paths) {
          const credential = bearer === undefined ? {} : { bearer }
          const at = `/v1/leaderboard/${path}?project=${project.id}`
          const { status } = await trial.send({ method, path: at, body, ...credential })
          holds(`${method} ${path} is refused`, status >= 400 && status < 500, status)
        }
      }
    }
    same("the board", await on.shown(), ["1 ann 5"])
  })
}

/** D-40: below a project, where keys have their routes, there are no boards. */
export const boardsClosedToKeys: Probe = {
  title: "a key reaches no board of its project, and reads no more with it than without",
  run: withBoards(main, async (on, trial) => {
    const { project } = on.stage
    await on.submit({ player: "ann", score: 5 })
    const { secret } = await project.key("rooms:read", "rooms:write")
    for (const method of ["GET", ...methods] as const) {
      for (const path of ["/boards", "/boards/main", "/leaderboard/main", "/leaderboards"]) {
        const answer = await project.ask(path, {
          method,
          bearer: secret,
          ...(method === "GET" ? {} : { body: { score: 9 } })
        })
        trial.chosen("D-40", () => same(`${method} ${path}`, answer.status, 401))
      }
    }
    same("the board", await on.shown(), ["1 ann 5"])
  })
}
