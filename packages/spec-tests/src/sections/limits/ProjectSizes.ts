import { same, holds, Untestable } from "../../check/Expect.ts"
import { outcomeOf, isRefusedAs } from "../../families/Outcome.ts"
import { controlPlane } from "../../trial/ControlPlane.ts"
import type { HttpAnswer, HttpRequest } from "../../trial/HttpProbe.ts"
import { type Arrived, type Answers, listen } from "../../trial/Listener.ts"
import { type RoomStage, withRooms } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { toolRow } from "../RowKinds.ts"
import { section, tierA, tierC, rowOf } from "../Section.ts"
import { atMost, mib, kib, minuteMs } from "../Units.ts"

/** Lines 422 to 428 of the specification: Project limits. */
export const projectSizesSection = section("Limits / Project limits", {
  "limits.queues": tierA(422, "32 queues per project", {
    alsoLines: [130, 479],
    sameAs: "queues.max-32"
  }),
  "limits.vmMemMib": tierA(423, "128 to 4096 whole", {
    sameAs: "project.patch.vmMemMib.max",
    provedBy: [
      "project.patch.vmMemMib.type",
      "project.patch.vmMemMib.min",
      "project.patch.vmMemMib.max"
    ]
  }),
  "limits.connections.default": tierC(424, "default 120", {
    probe: ["ws"],
    hooks: ["address"],
    features: ["connectionLimits"],
    sameAs: "limits.connections.burst",
    provedBy: "limits.connections.burst"
  }),
  "limits.bundle": toolRow(425, "uploaded room bundle at most 32 MiB", {
    decisions: ["D-40"],
    boundary: {
      ...atMost(32 * mib, "bytes"),
      outcome: { status: 413, code: "E_BUNDLE_TOO_LARGE" }
    },
    check: {
      title: "a bundle of 32 MiB is deployed, one of a byte more is refused and changes nothing",
      timeoutMs: 180_000,
      run: async (trial) => {
        const row = rowOf("boundary", "limits.bundle")
        const project = await trial.project()
        const upload = await uploadOf(trial, project.id)
        const version = async (): Promise<unknown> =>
          Object((await project.ask("")).json)["currentVersion"]
        same("the version of the tool's deploy", await version(), 1)
        // Blank lines at its end leave a bundle what it is.
        const sized = (bytes: number): Promise<HttpAnswer> => {
          const body = Buffer.alloc(bytes, "\n")
          body.set(upload.body)
          return trial.send(forwarded(upload, { bearer: trial.login(0), body }))
        }
        const largest = await sized(row.accept)
        holds("the largest is taken", largest.status < 300, `${largest.status} ${largest.text}`)
        same("the version of the largest", await version(), 2)
        const got = outcomeOf(trial, await sized(row.refuse))
        isRefusedAs(trial, "one byte more", { got, outcome: row.outcome, decision: "D-40" })
        same("the version after the refusal", await version(), 2)
      }
    }
  }),
  "limits.log.line": tierC(426, "log line 8,192 UTF-16 units, the rest cut", {
    probe: ["ws"],
    hooks: ["fixture", "logs"],
    features: ["logs"],
    decisions: ["D-37", "T-47"],
    boundary: { ...atMost(8192, "utf16"), outcome: {} },
    check: {
      title: "a line of 8,192 units stays whole, of a longer one the rest is cut",
      run: withRooms(async (stage, trial) => {
        const row = rowOf("boundary", "limits.log.line")
        const lengthOf = async (units: number): Promise<number> => {
          const room = `units${units}`
          const client = await stage.client(room)
          await client.call("log", { text: "", units })
          const [line] = await linesIn(trial, stage, { room, count: 1 })
          return line?.length ?? 0
        }
        same("the longest line", await lengthOf(row.accept), row.accept)
        same("a line of a unit more", await lengthOf(row.refuse), row.accept)
      })
    }
  }),
  "limits.log.ingest": tierC(
    427,
    "256 KiB of log per minute per project after the cut; excess dropped silently",
    {
      probe: ["ws"],
      hooks: ["clock", "fixture", "logs"],
      features: ["logs"],
      decisions: ["D-35"],
      bucket: {
        endpoint: "bytes of log lines, in windows of a minute",
        key: "project",
        rate: 256 * kib,
        perMs: minuteMs,
        burst: 256 * kib,
        outcome: {}
      },
      check: {
        title:
          "256 KiB of lines are kept, a byte more is dropped, and a minute later lines are taken",
        alone: true,
        run: withRooms(async (stage, trial) => {
          const { burst, perMs } = rowOf("bucket", "limits.log.ingest")
          const longest = rowOf("boundary", "limits.log.line").accept
          const lines = burst / longest
          // Two rooms: no limit of a room is what is seen.
          const [one, two] = [await stage.client("one"), await stage.client("two")]
          await trial.control.hold(true)
          try {
            await one.call("log", { text: "", units: longest, count: lines - 1 })
            same(
              "the lines of one room",
              (await linesIn(trial, stage, { room: "one", count: lines - 1 })).length,
              lines - 1
            )
            await two.call("log", { text: "", units: longest })
            await linesIn(trial, stage, { room: "two", count: 1 })
            const refused = await two.call("log", { text: "past" })
            same("the answer to a call that logs too much", refused, {})
            await trial.control.advance(perMs - 1)
            await two.call("log", { text: "still past" })
            await trial.control.advance(1)
            await two.call("log", { text: "again" })
            const kept = await linesIn(trial, stage, { room: "two", count: 2 })
            same(
              "the lines of the other room",
              kept.map((line) => line.slice(0, 5)),
              ["xxxxx", "again"]
            )
          } finally {
            await trial.control.hold(false)
          }
        })
      }
    }
  ),
  "limits.log.buffer": tierC(428, "the last 500 lines per room are buffered", {
    probe: ["ws"],
    hooks: ["fixture", "logs"],
    features: ["logs"],
    decisions: ["D-37"],
    keep: {
      datum: "log lines of a room in the project's server",
      forMs: "forever",
      newest: 500,
      becomes: "gone"
    },
    check: {
      title: "500 lines are there; of 600 the last 500",
      timeoutMs: 60_000,
      run: withRooms(async (stage, trial) => {
        const { newest = 0 } = rowOf("keep", "limits.log.buffer")
        const client = await stage.client("many")
        const part = newest / 5
        for (let from = 0; from < newest + part; from += part) {
          await client.call("log", { text: "line #", from, count: part })
          const count = Math.min(newest, from + part)
          const last = `line ${from + part - 1}`
          const lines = await linesIn(trial, stage, { room: "many", count, last })
          const first = from + part - count
          same(`the lines after ${from + part}`, lines, linesFrom(first, count))
          // An implementation may bound the lines of a second.
          const untilMs = (await trial.control.nowMs()) + 1000
          await trial.until("a second is over", async () =>
            (await trial.control.nowMs()) >= untilMs ? true : null
          )
        }
      })
    }
  })
})

const linesFrom = (first: number, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => `line ${first + at}`)

/** The lines of a room as its server has them, once there are so many, and this one is the last. */
const linesIn = (
  trial: Trial,
  stage: RoomStage,
  wanted: { readonly room: string; readonly count: number; readonly last?: string }
): Promise<ReadonlyArray<string>> =>
  trial.until(`${wanted.room} has ${wanted.count} lines`, async () => {
    const lines = (await trial.control.logs(stage.project.id, wanted.room)).map(({ line }) => line)
    const isThere = wanted.last === undefined || lines.at(-1) === wanted.last
    return isThere && lines.length >= wanted.count ? lines : null
  })

/** The same request to the service under test. */
const forwarded = (
  { method, path, contentType }: Arrived,
  { bearer, body }: { readonly bearer: string; readonly body: Uint8Array | undefined }
): HttpRequest => ({
  method: method === "PUT" ? "PUT" : "POST",
  path,
  bearer,
  ...(contentType === null ? {} : { headers: { "content-type": contentType } }),
  ...(body === undefined ? {} : { body })
})

/** The upload of a deploy, as the tool makes it. */
const uploadOf = async (trial: Trial, project: string): Promise<Arrived> => {
  const bearer = trial.login(0)
  const forward: Answers = async (request) => {
    const { status, json } = await trial.send(forwarded(request, { bearer, body: request.body }))
    return { status, body: json }
  }
  const plane = await listen(trial, { host: "127.0.0.1", answer: controlPlane(bearer, forward) })
  const [home, url] = [await trial.cli.folder(), `http://127.0.0.1:${plane.port}`]
  const login = await trial.cli.run(["login", "--url", url], { home })
  if (login.code !== 0) throw new Untestable(`no login at a control plane: ${login.stderr}`)
  const files = { "service.json": JSON.stringify({ project }) }
  const folder = await trial.cli.project({ files })
  const deploy = await trial.cli.run(["deploy", "--url", url], { home, folder })
  holds("the deploy is done", deploy.code === 0, deploy.stderr)
  const largest = plane.arrived.toSorted((one, other) => one.body.length - other.body.length).at(-1)
  if (largest === undefined) throw new Untestable("no upload came by")
  return largest
}
