import { isSuccess } from "../check/Answers.ts"
import { same, holds } from "../check/Expect.ts"
import type { HttpRequest } from "../trial/HttpProbe.ts"
import { stateOf, withRooms } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"
import { breakingNeedsFlag } from "./BreakingDeploys.ts"
import { managementRouteIds, callOf } from "./RouteCall.ts"
import { migrationRow } from "./RowKinds.ts"
import { section, tierA, tierB, rowOf } from "./Section.ts"
import { changedSinceSave, restored } from "./states/Restores.ts"
import { dayMs, minuteMs } from "./Units.ts"

/** Lines 546 to 549 of the specification: Versioning. */
export const versioningSection = section("Versioning", {
  "version.v1-prefix": tierA(
    546,
    "room, key, project, identity, leaderboard, account, presence and audience paths are under /v1",
    {
      is: { prefix: "/v1" },
      check: { title: "without /v1 no path of the API leads anywhere", run: prefixed }
    }
  ),
  "version.match-unprefixed": tierA(546, "/match… has no prefix", {
    features: ["match"],
    is: { path: "/match" },
    check: {
      title: "quick match answers at /match, and nothing does below the prefix",
      run: async (trial) => {
        const { match } = trial.codecs
        const project = await trial.project()
        const { path = "" } = rowOf("statement", "version.match-unprefixed").is ?? {}
        const calls = [
          match.status(project.id, "default"),
          match.join({ project: project.id, queue: "default", identity: "none" })
        ]
        for (const call of calls) {
          holds(`${call.path} has no prefix`, call.path.startsWith(String(path)), call.path)
          const there = await trial.send(call)
          const bare = await trial.send({ ...call, path: `/v1${call.path}` })
          same(`/v1${call.path}: the status`, bare.status, 404)
          holds(`${call.path} leads somewhere`, there.status !== 404, there.text)
        }
      }
    }
  }),
  "version.snapshot-across-versions": tierB(
    547,
    "a room's snapshot exists across deployment versions",
    {
      probe: ["http", "ws"],
      check: {
        title: "a room's snapshot is there across deployment versions",
        run: withRooms(async (stage, trial) => {
          await stage.played("across", 5)
          const before = (await stage.detail("across"))["stateBytes"]
          const awake = await stage.client("awake")
          await awake.call("add", { by: 7 })
          await stage.deploy("next")
          same(
            "the snapshot after the deploy",
            (await stage.detail("across"))["stateBytes"],
            before
          )
          const client = await stage.client("across")
          const { value, created } = await stateOf(client)
          same("what the room holds", { value, created }, { value: 5, created: 1 })
          // A deploy may send the clients of awake rooms away, or leave them where they are.
          await Promise.race([awake.closed, trial.pause(3000)])
          const back = await stateOf(await stage.rejoin("awake"))
          const held = { value: back.value, created: back.created }
          same("what a room holds that was awake", held, { value: 7, created: 1 })
        })
      }
    }
  ),
  "version.old-snapshots-decode": tierB(547, "old snapshots stay decodable with their schema", {
    check: {
      title: "a generation of the first version is read and restored four versions later",
      timeoutMs: 60_000,
      run: withRooms(async (stage, trial) => {
        const { client, saveId } = await changedSinceSave(stage, "old", 7)
        const before = await stage.bytes("old", saveId)
        isSuccess(before)
        await client.leave()
        await stage.asleep("old")
        for (const fixture of ["next", "next", "next", "next"] as const) await stage.deploy(fixture)
        const newer = await stage.client("old")
        same("the state goes along", (await stateOf(newer)).value, 107)
        const after = await stage.bytes("old", saveId)
        holds("its bytes stay", Buffer.from(before.bytes).equals(after.bytes), after.status)
        isSuccess(await stage.restore("old", saveId))
        await newer.end()
        same("the state of the first version", (await restored(trial, stage, "old")).value, 7)
      })
    }
  }),
  "version.breaking-needs-flag": migrationRow(
    548,
    "a breaking change needs --allow-breaking and a migration file, or preRelease",
    {
      is: { flag: "--allow-breaking" },
      provedBy: "preRelease.breaking-without-flags",
      check: breakingNeedsFlag
    }
  ),
  "version.policy": tierA(549, "deprecation, negotiation and other versions are not given", {
    level: "decided",
    decisions: ["D-47"],
    is: { announcedMs: 180 * dayMs },
    check: {
      title: "nothing negotiates a version, and what goes is announced six months before",
      run: async (trial) => {
        const project = await trial.project()
        const plain = await project.ask("/rooms")
        isSuccess(plain)
        const { announcedMs } = rowOf("statement", "version.policy").is ?? {}
        for (const headers of [
          { accept: "application/vnd.service.v2+json" },
          { "accept-version": "2" },
          { "api-version": "2099-01-01" }
        ]) {
          const answer = await project.ask("/rooms", { headers })
          trial.chosen("D-47", () =>
            same("the answer", [answer.status, answer.text], [plain.status, plain.text])
          )
        }
        const { deprecation, sunset } = plain.headers
        trial.chosen("D-47", () => {
          if (sunset === undefined)
            return same("deprecation without an end", deprecation, undefined)
          const leftMs = Date.parse(sunset) - Date.parse(deprecation ?? sunset)
          holds(
            "six months from its announcement",
            leftMs >= Number(announcedMs) - minuteMs,
            sunset
          )
        })
        const path = `/v2/projects/${project.id}/rooms`
        const { status } = await trial.send({ method: "GET", path, bearer: project.login })
        trial.chosen("D-47", () => same("another version", status, 404))
      }
    }
  })
})

async function prefixed(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { prefix = "" } = rowOf("statement", "version.v1-prefix").is ?? {}
  const nothing = await trial.send({ method: "GET", path: "/no/such/path", bearer: project.login })
  same("a path that leads nowhere", nothing.status, 404)
  const open = [
    ["POST", "/v1/identity", []],
    ["POST", "/v1/identity/assertion", ["assertions"]],
    ["GET", "/v1/leaderboard/any/top", ["boards"]],
    ["GET", "/v1/account", ["accounts"]],
    ["GET", "/v1/presence", ["presence"]],
    ["POST", "/v1/audience", ["audience"]]
  ] as const
  const calls: ReadonlyArray<readonly [HttpRequest, ReadonlyArray<string>]> = [
    ...managementRouteIds.map((id) => [callOf(trial, id, { project: project.id }), []] as const),
    ...open.map(([method, path, features]) => {
      const body = method === "POST" ? { body: trial.codecs.identityBody(project.id) } : {}
      return [{ method, path, ...body }, features] as const
    })
  ]
  for (const [call, features] of calls) {
    holds(
      `${call.path} is under ${String(prefix)}`,
      call.path.startsWith(`${String(prefix)}/`),
      call.path
    )
    const path = call.path.slice(String(prefix).length)
    for (const credential of [{}, { bearer: project.login }]) {
      const bare = await trial.send({ ...call, path, ...credential })
      same(`${call.method} ${path}: the status`, bare.status, 404)
    }
    if (!features.every((feature) => trial.config.features.includes(feature))) continue
    const there = await trial.send({ ...call, bearer: project.login })
    holds(`${call.method} ${call.path} leads somewhere`, there.text !== nothing.text, there.text)
  }
}
