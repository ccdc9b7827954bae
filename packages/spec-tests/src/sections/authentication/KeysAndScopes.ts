import { isSuccess, isRefusal, isSameAnswer } from "../../check/Answers.ts"
import { manyAskedMs, type ProbeOf } from "../../check/Check.ts"
import { holds, same } from "../../check/Expect.ts"
import type { OwnersDeed } from "../../codec/Codecs.ts"
import type { HttpRequest } from "../../trial/HttpProbe.ts"
import type { Project } from "../../trial/Project.ts"
import type { Trial } from "../../trial/Trial.ts"
import { scopesOf } from "../endpoints/Scopes.ts"
import { boardsClosedToKeys } from "../limits/LeaderboardProbes.ts"
import { noRouteTakes } from "../limits/RatingProbes.ts"
import { notFound, unauthenticated } from "../Literals.ts"
import { isReached } from "../Reached.ts"
import { keyRouteIds, callOf, noProject } from "../RouteCall.ts"
import { section, tierA, rowOf, type More } from "../Section.ts"
import { changesNothing, closedToKeys } from "./DocumentedRoutes.ts"
import { malformedIds, beside } from "./KeysAndScopesProbes.ts"
import { roomCalls } from "./RoomCalls.ts"
import { takeAsLong } from "./SameTime.ts"

const identical = () => rowOf("error", "auth.key.other-vs-nonexistent-identical")

/** A project of account 0, another of it, and one of account 1. */
const ownAndOthers = (trial: Trial): Promise<readonly [Project, Project, Project]> =>
  Promise.all([trial.project(), trial.project(), trial.project(1)])

/** A row of something that no API key can do, with any scope. */
const cannot = (does: string, more: More) =>
  tierA(297, `an API key cannot ${does}: 401`, { literalsOf: "auth.key.cannot.mint", ...more })

/** Lines 287 to 297 of the specification: Authentication, API keys and their scopes. */
export const keysAndScopesSection = section("Authentication", {
  "auth.bearer-api-key": tierA(
    287,
    "room and save management takes authorization: Bearer <API_KEY>",
    {
      decisions: ["D-03"],
      is: { header: "authorization: Bearer" },
      check: {
        title: "a key is taken from the header authorization, as Bearer, and from nowhere else",
        timeoutMs: manyAskedMs,
        run: bearerOnly
      }
    }
  ),
  "scope.read.reaches": tierA(292, "rooms:read reaches list, read, saves list, save bytes", {
    is: { scope: "rooms:read", routes: ["rooms.list", "rooms.get", "saves.list", "saves.bytes"] },
    provedBy: "state.key.post-active#model",
    decisions: ["D-57", "D-58"],
    check: [
      {
        title: "rooms:read reaches the four routes that read, and none of the three that write",
        run: (trial) => scopesOf(trial, keyRouteIds, ["rooms:read"])
      },
      changesNothing
    ]
  }),
  "scope.write.reaches": tierA(293, "rooms:write adds retention, public, restore, delete", {
    is: { scope: "rooms:write", routes: ["rooms.patch", "saves.restore", "rooms.delete"] },
    provedBy: "state.key.post-active#model",
    check: {
      title: "rooms:write reaches all seven routes",
      run: (trial) => scopesOf(trial, keyRouteIds, ["rooms:write"])
    }
  }),
  "scope.write-implies-read": tierA(295, "rooms:write implies rooms:read", {
    provedBy: "state.key.post-active#model",
    check: {
      title: "a key with rooms:write alone reads",
      run: (trial) =>
        scopesOf(
          trial,
          keyRouteIds.filter((id) => rowOf("route", id).scope === "rooms:read"),
          ["rooms:write"]
        )
    }
  }),
  "auth.key.other-project-404": tierA(297, "another project's rooms answer 404", {
    decisions: ["T-02"],
    alsoLines: [329],
    error: { outcome: notFound },
    provedBy: "state.key.post-active#model",
    check: {
      title: "a key gets 404 from any project but its own, on every room route",
      run: async (trial) => {
        const [project, sibling, foreign] = await ownAndOthers(trial)
        const { secret: bearer } = await project.key("rooms:read", "rooms:write")
        isSuccess(await project.ask("/rooms", { bearer }))
        for (const other of [sibling, foreign]) {
          for (const call of roomCalls(trial, other.id)) {
            const answer = await trial.send({ ...call, bearer })
            isRefusal(trial, answer, rowOf("error", "auth.key.other-project-404"))
          }
        }
      }
    }
  }),
  "auth.key.other-vs-nonexistent-identical": tierA(
    297,
    "the answer for another project equals the answer for one that does not exist",
    {
      decisions: ["D-03", "T-02"],
      alsoLines: [329],
      error: { outcome: notFound, identicalTo: "auth.key.other-project-404" },
      check: [
        {
          alone: true,
          title: "a project of somebody else and one that does not exist answer in the same time",
          run: async (trial) => {
            const [project, foreign] = [await trial.project(), await trial.project(1)]
            const { secret: bearer } = await project.key("rooms:read", "rooms:write")
            for (const id of ["route.rooms.list", "route.rooms.delete"] as const) {
              const ask = (to: string) => () =>
                trial.send({ ...callOf(trial, id, { project: to }), bearer })
              await takeAsLong(trial, id, [ask(foreign.id), ask(noProject(trial))])
            }
          }
        },
        {
          title: "a project of somebody else answers a key as one that does not exist, to the byte",
          timeoutMs: manyAskedMs,
          run: foreignAsNothing
        }
      ]
    }
  ),
  "auth.key.order-404-before-403": tierA(
    297,
    "a read key on a write route of another project does not reveal it",
    {
      level: "decided",
      decisions: ["D-03", "T-02"],
      error: { outcome: notFound, identicalTo: "auth.key.other-project-404" },
      provedBy: "state.key.post-active#model",
      check: {
        title: "a read key learns nothing of another project by asking to write",
        run: async (trial) => {
          const [project, sibling, foreign] = await ownAndOthers(trial)
          const { secret: bearer } = await project.key("rooms:read")
          for (const id of keyRouteIds) {
            const ask = (to: string) =>
              trial.send({ ...callOf(trial, id, { project: to }), bearer })
            const nothing = await ask(noProject(trial))
            for (const other of [sibling, foreign]) {
              isSameAnswer(`${id} of another project`, await ask(other.id), nothing)
            }
            trial.chosen("D-03", () => isRefusal(trial, nothing, identical()))
          }
        }
      }
    }
  ),
  "auth.key.cannot.mint": tierA(297, "an API key cannot mint keys: 401", {
    error: { outcome: unauthenticated },
    check: {
      title: "a key with every scope neither mints nor lists nor revokes keys, itself included",
      run: keysOfKeys
    }
  }),
  "auth.key.cannot.list": cannot("list keys", { provedBy: "auth.key.cannot.mint" }),
  "auth.key.cannot.revoke": cannot("revoke another key", { provedBy: "auth.key.cannot.mint" }),
  "auth.key.cannot.revoke-self": cannot("revoke itself", { provedBy: "auth.key.cannot.mint" }),
  "auth.key.cannot.deploy": cannot("deploy", {
    decisions: ["D-40"],
    check: forOwnersOnly("deploy")
  }),
  "auth.key.cannot.rollback": cannot("roll back", {
    decisions: ["D-40"],
    check: forOwnersOnly("rollback")
  }),
  "auth.key.cannot.usage": cannot("read usage", {
    decisions: ["D-40"],
    check: forOwnersOnly("usage")
  }),
  "auth.key.cannot.billing": cannot("read billing", {
    decisions: ["D-40"],
    check: forOwnersOnly("billing")
  }),
  "auth.key.cannot.fleet": cannot("manage the fleet", {
    decisions: ["D-40"],
    check: forOwnersOnly("fleet")
  }),
  "auth.key.cannot.account": cannot("touch the account", {
    decisions: ["D-40", "D-57", "D-60", "T-99"],
    check: [forOwnersOnly("account"), closedToKeys]
  }),
  "auth.key.cannot.cli-token": cannot("reach CLI-token routes", {
    decisions: ["D-40"],
    check: forOwnersOnly("cliToken")
  }),
  "auth.key.cannot.project-patch": cannot("patch the project", {
    check: {
      title: "a key with every scope changes no setting, and neither reads nor sets caps",
      run: settingsOfKeys
    }
  }),
  "auth.key.cannot.caps": cannot("read or set caps", { provedBy: "auth.key.cannot.project-patch" }),
  "auth.key.cannot.player-data": tierA(297, "an API key cannot read or write player-data", {
    features: ["playerStore"],
    decisions: ["D-40"],
    error: { outcome: unauthenticated },
    check: forOwnersOnly("playerData")
  }),
  "auth.key.cannot.leaderboards": tierA(297, "an API key cannot read or write leaderboards", {
    features: ["boards"],
    decisions: ["D-40"],
    literalsOf: "auth.key.cannot.player-data",
    check: boardsClosedToKeys
  }),
  "auth.key.cannot.ratings": tierA(297, "an API key cannot read or write ratings", {
    features: ["ratings"],
    decisions: ["D-40"],
    literalsOf: "auth.key.cannot.player-data",
    check: {
      title: "a key with every scope finds no route that reads or writes a rating",
      timeoutMs: manyAskedMs,
      run: async (trial) => {
        const project = await trial.project()
        const { secret } = await project.key("rooms:read", "rooms:write")
        isSuccess(await project.ask("/rooms", { bearer: secret }))
        await noRouteTakes(trial, project.id, secret)
      }
    }
  })
})

async function bearerOnly(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { secret } = await project.key("rooms:read", "rooms:write")
  for (const id of keyRouteIds) {
    const call = callOf(trial, id, { project: project.id })
    isReached(trial, await trial.send({ ...call, headers: { authorization: `Bearer ${secret}` } }))
    const elsewhere: ReadonlyArray<Pick<HttpRequest, "headers">> = [
      { headers: { authorization: secret } },
      { headers: { authorization: `Basic ${secret}` } },
      { headers: { authorization: `Basic ${Buffer.from(`${secret}:`).toString("base64")}` } },
      { headers: { authorization: `Token ${secret}` } },
      { headers: { authorization: `Bearer${secret}` } },
      { headers: { "x-api-key": secret } },
      { headers: { cookie: `authorization=Bearer ${secret}; api_key=${secret}` } }
    ]
    const inQuery = ["api_key", "access_token", "key", "authorization"].map((name) => ({
      path: `${call.path}?${name}=${secret}`
    }))
    for (const wrong of [...elsewhere, ...inQuery]) {
      const answer = await trial.send({ ...call, ...wrong })
      isRefusal(trial, answer, rowOf("error", "auth.401.missing"))
    }
  }
  const lower = await project.ask("/rooms", {
    headers: { authorization: `bearer ${secret}` },
    bearer: null
  })
  trial.chosen("D-03", () => isSuccess(lower))
}

async function foreignAsNothing(trial: Trial): Promise<void> {
  const [project, sibling, foreign] = await ownAndOthers(trial)
  const { secret: bearer } = await project.key("rooms:read", "rooms:write")
  for (const id of keyRouteIds) {
    const ask = (to: string) => trial.send({ ...callOf(trial, id, { project: to }), bearer })
    const nothing = await ask(noProject(trial))
    isRefusal(trial, nothing, identical())
    for (const { id: other } of [sibling, foreign]) {
      const answer = await ask(other)
      isSameAnswer(`${id} of another project`, answer, nothing)
      holds("the id is not told", !answer.text.includes(other), answer.text)
    }
    for (const answer of await Promise.all(malformedIds(project.id).map(ask))) {
      trial.chosen("D-05", () => isSameAnswer(`${id} of a malformed id`, answer, nothing))
    }
  }
  // Another fault of the request tells nothing either.
  const list = (to: string) =>
    trial.send({ method: "GET", path: `/v1/projects/${to}/rooms?x=1`, bearer })
  isSameAnswer("a bad request", await list(foreign.id), await list(noProject(trial)))
}

async function keysOfKeys(trial: Trial): Promise<void> {
  const project = await trial.project()
  const [key, other] = [
    await project.key("rooms:read", "rooms:write"),
    await project.key("rooms:read")
  ]
  const { secret: bearer } = key
  const before = await project.ask("/keys")
  const body = { scopes: ["rooms:read"], label: "by a key" }
  const answers = [
    await project.ask("/keys", { method: "POST", bearer, body }),
    await project.ask("/keys", { bearer }),
    await project.ask(`/keys/${other.keyId}`, { method: "DELETE", bearer }),
    await project.ask(`/keys/${key.keyId}`, { method: "DELETE", bearer })
  ]
  for (const answer of answers) isRefusal(trial, answer, rowOf("error", "auth.key.cannot.mint"))
  const after = await project.ask("/keys")
  same("the keys afterwards", after.json, before.json)
  isSuccess(await project.ask("/rooms", { bearer }))
  isSuccess(await project.ask("/rooms", { bearer: other.secret }))
  isSuccess(await project.ask(`/keys/${other.keyId}`, { method: "DELETE" }))
}

async function settingsOfKeys(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { secret: bearer } = await project.key("rooms:read", "rooms:write")
  const before = await project.ask("/caps")
  isSuccess(before)
  const { name } = project
  const caps = trial.codecs.capsBody({ roomHours: 1 })
  const answers = [
    await project.ask("", { method: "PATCH", bearer, body: { name, connectionsPerIpPerMin: 7 } }),
    await project.ask("/caps", { bearer }),
    await project.ask("/caps", { method: "PATCH", bearer, body: caps })
  ]
  for (const answer of answers) {
    isRefusal(trial, answer, rowOf("error", "auth.key.cannot.project-patch"))
  }
  same("the caps afterwards", (await project.ask("/caps")).json, before.json)
  isSuccess(await project.ask("/caps", { method: "PATCH", body: caps }))
  const read = await project.ask("", { method: "PATCH", body: { name } })
  isSuccess(read)
  holds("the setting is not set", Object(read.json)["connectionsPerIpPerMin"] !== 7, read.text)
}

function forOwnersOnly(deed: OwnersDeed): ProbeOf {
  return (id) => ({
    title: `a key with every scope is 401 where the owner goes on: ${deed}`,
    run: (trial) => ownersOnly(trial, id, deed)
  })
}

async function ownersOnly(trial: Trial, id: string, deed: OwnersDeed): Promise<void> {
  const project = await trial.project()
  const { secret: bearer } = await project.key("rooms:read", "rooms:write")
  const call = trial.codecs.ownersCalls(project.id)[deed]
  isRefusal(trial, await trial.send({ ...call, bearer }), rowOf("error", id))
  for (const more of beside[deed]?.(project.id) ?? []) {
    const refused = await trial.send({ ...more, bearer })
    trial.chosen("D-40", () => isRefusal(trial, refused, rowOf("error", id)))
  }
  // The kind of the credential is what is refused: its owner's login gets past it.
  const { status } = await trial.send({ ...call, bearer: project.login })
  holds("the owner's login is let through", status !== 401 && status !== 403, status)
  const isThere = status < 300 || status === 400 || status === 409
  if (isThere) trial.saw(`behaviour the owner's ${deed}`)
}
