import type { FileRow, Row } from "./Row.ts"

const readers = [
  "dev",
  "deploy",
  "deploy --static",
  "migrate create",
  "rollback",
  "logs",
  "rooms",
  "keys"
]
const deploys = ["deploy", "deploy --static"]
const notText: FileRow["bad"] = ["", 0, 5, true, false, null, [], ["x"], {}]
const synced = ["queues", "boards", "origins", "audienceRole", "preRelease"]
const projectId = "p_0123456789abcdef"

/** Project file: its keys, as types and as the table of validation says. */
const keyRows: ReadonlyArray<Row> = [
  {
    kind: "file",
    ids: ["file.validate.project-type.refused", "file.project.type"],
    key: "project",
    bad: notText,
    good: [projectId],
    commands: ["dev", "deploy"],
    verdict: "refuse",
    names: ["project"]
  },
  {
    kind: "file",
    ids: ["file.validate.project-type.absent"],
    key: "project",
    bad: notText,
    good: [projectId],
    commands: ["logs", "rooms", "rollback", "keys", "deploy --static", "migrate create"],
    verdict: "absent",
    names: []
  },
  {
    kind: "file",
    ids: ["file.validate.name-type", "file.name.type"],
    key: "name",
    bad: notText,
    good: ["Name", "two words"],
    commands: readers,
    verdict: "refuse",
    names: ["name"]
  },
  {
    kind: "file",
    ids: ["file.validate.static-type", "file.static.type"],
    key: "static",
    bad: ["", 5, true, null, [], ["dist"], {}, { dir: "" }, { dir: 5 }, { label: "site" }],
    good: ["dist", { dir: "dist" }, { dir: "dist", label: "site" }],
    commands: ["deploy --static"],
    verdict: "refuse",
    names: ["static"]
  },
  {
    kind: "file",
    ids: ["file.validate.client-type", "file.client.type"],
    key: "client",
    bad: notText,
    good: ["client.ts"],
    commands: ["dev", "deploy"],
    verdict: "refuse",
    names: ["client"]
  },
  {
    kind: "file",
    ids: ["file.validate.queues", "file.queues.type"],
    key: "queues",
    bad: [5, "main", true, [], { main: 5 }, { main: { size: 1 } }, { main: { skill: "yes" } }],
    good: [{}, { main: { size: 2 } }, { main: { size: 4, skill: true } }],
    commands: deploys,
    verdict: "refuse",
    names: ["queues"]
  },
  {
    kind: "file",
    ids: ["file.validate.boards-type", "file.boards.type"],
    key: "boards",
    bad: [5, "main", true, null, []],
    good: [{}, { main: { direction: "higher" } }],
    commands: deploys,
    verdict: "refuse",
    names: ["boards"]
  },
  {
    kind: "file",
    ids: ["file.validate.boards-direction", "boards.direction.required"],
    key: "boards",
    bad: [{ main: {} }, { main: { direction: "up" } }, { main: { direction: 1 } }],
    good: [{ main: { direction: "higher" } }, { main: { direction: "lower" } }],
    commands: deploys,
    verdict: "refuse",
    names: ["main"]
  },
  {
    kind: "file",
    ids: ["file.validate.origins-type", "file.origins.type", "origins.distinct-non-empty"],
    key: "origins",
    bad: [
      "https://example.com",
      5,
      true,
      null,
      {},
      [""],
      [5],
      [null],
      ["https://example.com", "https://example.com"]
    ],
    good: [[], ["https://example.com"], ["https://example.com", "http://example.com:8080"]],
    commands: deploys,
    verdict: "refuse",
    names: ["origins"]
  },
  {
    kind: "file",
    ids: ["file.validate.origins-entry", "origins.bare-origin"],
    key: "origins",
    bad: [
      ["https://example.com/"],
      ["https://example.com/path"],
      ["example.com"],
      ["https://"],
      ["https://*.example.com"]
    ],
    good: [["*"], ["https://example.com"], ["http://example.com:8080"]],
    commands: ["deploy"],
    verdict: "refuse",
    names: ["the entry"]
  },
  {
    kind: "file",
    ids: ["file.validate.audienceRole", "file.audienceRole.type"],
    key: "audienceRole",
    bad: ["", 5, true, [], {}, "a b", "ä", "x".repeat(33)],
    good: [null, "viewer", "a-b_c.d:e", "x".repeat(32)],
    commands: deploys,
    verdict: "refuse",
    names: ["audienceRole"]
  },
  {
    kind: "file",
    ids: ["file.validate.preRelease-type", "file.preRelease.type"],
    key: "preRelease",
    bad: [null, 0, 1, "true", "", [], {}],
    good: [true, false],
    commands: deploys,
    verdict: "refuse",
    names: ["preRelease"]
  },
  { kind: "statement", ids: ["file.validate.absent"] },
  { kind: "statement", ids: ["file.validate.not-json"] }
]

/** Project file: what each key does, and where it comes from. */
const useRows: ReadonlyArray<Row> = [
  { kind: "statement", ids: ["file.init-writes-at-root"] },
  { kind: "statement", ids: ["file.no-secrets"] },
  { kind: "statement", ids: ["file.all-optional"] },
  { kind: "statement", ids: ["file.unknown-keys-ignored"] },
  { kind: "statement", ids: ["file.project.omitted"] },
  { kind: "statement", ids: ["file.name.omitted"] },
  { kind: "statement", ids: ["file.client.omitted"] },
  { kind: "statement", ids: ["file.static.omitted"] },
  { kind: "statement", ids: ["file.queues.omitted"] },
  { kind: "statement", ids: ["file.boards.omitted"] },
  { kind: "statement", ids: ["file.origins.omitted"] },
  { kind: "statement", ids: ["file.audienceRole.omitted"] },
  { kind: "statement", ids: ["file.preRelease.omitted"] },
  { kind: "statement", ids: ["file.init.writes-name"] },
  { kind: "statement", ids: ["file.init.writes-static"] },
  { kind: "statement", ids: ["file.first-deploy-adds-project"] },
  {
    kind: "statement",
    ids: ["file.init.never-writes-hand-keys"],
    is: { keys: ["client", "queues", "boards", "origins", "audienceRole", "preRelease"] }
  },
  {
    kind: "text",
    ids: ["file.project.form"],
    pattern: "^p_[0-9a-f]{16}$",
    good: [projectId],
    bad: ["p_0123456789abcde", "p_0123456789abcdef0", "p_0123456789ABCDEF", "0123456789abcdef"],
    outcome: {}
  },
  { kind: "statement", ids: ["file.project.unknown-stops"] },
  { kind: "statement", ids: ["file.project.never-reused"] },
  { kind: "statement", ids: ["file.project.create-when-none"] },
  { kind: "statement", ids: ["file.project.dev-default"], is: { project: "dev" } },
  { kind: "statement", ids: ["sdk.client.dev-fallback"], is: { project: "dev" } },
  {
    kind: "statement",
    ids: ["file.resolve.deploy"],
    is: { order: ["--project", "project file", "schema declaration"] }
  },
  {
    kind: "statement",
    ids: ["file.resolve.others"],
    is: { order: ["--project", "project file"] }
  },
  { kind: "statement", ids: ["file.resolve.dev"], is: { order: ["project file", "dev"] } },
  { kind: "statement", ids: ["file.resolve.none-refused"] },
  { kind: "statement", ids: ["project.id.mismatch-is-join-refusal"] },
  { kind: "statement", ids: ["file.name.label-only"], is: { projects: 2 } },
  {
    kind: "statement",
    ids: ["file.name.order"],
    is: { order: ["--name", "project file", "directory name"] }
  },
  { kind: "statement", ids: ["file.name.creating-deploy-registers"] },
  { kind: "statement", ids: ["file.name.rename-before-upload"] },
  { kind: "statement", ids: ["file.name.directory-never-renames"] },
  { kind: "statement", ids: ["file.name.init-directory"] },
  { kind: "statement", ids: ["file.static.forms"] },
  { kind: "statement", ids: ["file.static.no-build"] },
  { kind: "statement", ids: ["file.static.all-public"] },
  { kind: "statement", ids: ["file.static.never-env"], is: { names: [".env", ".env.local"] } },
  { kind: "statement", ids: ["file.static.never-git"], is: { name: ".git" } },
  { kind: "statement", ids: ["file.static.never-node_modules"], is: { name: "node_modules" } },
  { kind: "statement", ids: ["file.static.hidden-skipped"] },
  {
    kind: "statement",
    ids: ["file.static.include-dotfiles"],
    is: { flag: "--include-dotfiles" }
  },
  { kind: "statement", ids: ["file.static.label-subdomain"] },
  { kind: "statement", ids: ["file.static.flags-win"], is: { flags: ["--static", "--label"] } },
  { kind: "statement", ids: ["file.static.deploy-order"], is: { order: ["room", "site"] } },
  { kind: "statement", ids: ["file.static.no-static-flag"], is: { flag: "--no-static" } },
  { kind: "statement", ids: ["file.static.static-flag-only"], is: { flag: "--static" } },
  { kind: "statement", ids: ["file.static.without-room-valid"] },
  { kind: "statement", ids: ["file.static.neither-refused"] },
  { kind: "statement", ids: ["file.static.dev-serves"], is: { when: "index.html" } },
  { kind: "statement", ids: ["file.static.dev-no-serve"], is: { flag: "--no-serve" } },
  { kind: "statement", ids: ["file.client.relative"] },
  { kind: "statement", ids: ["file.client.warns-not-refuses"] },
  { kind: "statement", ids: ["file.client.bare-external"] },
  { kind: "statement", ids: ["file.client.syntax-error-silent"] },
  { kind: "statement", ids: ["file.client.missing-silent"] },
  { kind: "statement", ids: ["file.reads.dev"], is: { reads: ["project", "client"] } },
  {
    kind: "statement",
    ids: ["file.reads.deploy"],
    is: {
      reads: ["project", "client", "name", ...synced]
    }
  },
  {
    kind: "statement",
    ids: ["file.reads.deploy-static"],
    is: {
      reads: ["project", "static", "name", ...synced]
    }
  },
  { kind: "statement", ids: ["file.reads.others"], is: { reads: ["project"] } },
  { kind: "statement", ids: ["file.reads.init"], is: { reads: ["project", "name"] } },
  {
    kind: "statement",
    ids: ["file.reads.none"],
    is: { commands: ["simulate", "login", "whoami"], reads: [] }
  },
  { kind: "statement", ids: ["file.cwd-only"], is: { path: "./service.json" } },
  {
    kind: "statement",
    ids: ["file.config-flag"],
    is: { flags: ["-c", "--config"], commands: readers }
  },
  { kind: "statement", ids: ["file.config-flag.missing-hard-error"] },
  { kind: "statement", ids: ["file.init.no-config-flag"] },
  { kind: "statement", ids: ["file.init.no-overwrite"] },
  { kind: "statement", ids: ["file.init.reuses-values"] },
  { kind: "statement", ids: ["file.init.skips-malformed"] }
]

export const fileRows: ReadonlyArray<Row> = [...keyRows, ...useRows]
