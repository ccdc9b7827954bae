import { existsSync, globSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

import { keptRights } from "@atrium/actors/process/launcher/KeptRights"
import { readServiceConfig } from "@atrium/api/start/ServiceConfig"
import { ConfigProvider, Effect } from "effect"
import { Deployment } from "kubernetes-models/apps/v1/Deployment"
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress"
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy"
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget"
import { Service } from "kubernetes-models/v1/Service"
import { describe, expect, test } from "vitest"
import { parse, parseAllDocuments } from "yaml"

import { composeFaults } from "./composeFaults.ts"

// No Docker engine, no Kubernetes and no Caddy runs where these tests run: the files are held against
// schemas, and against what the repository itself says.

const root = join(import.meta.dirname, "..")
const textOf = (path: string): string => readFileSync(join(root, path), "utf8")
const files = globSync("deploy/**/*.*", { cwd: root }).toSorted()
const rights = keptRights.map((name) => name.toUpperCase()).toSorted()

const secrets = {
  DATABASE_URL: "postgres://atrium:word@postgres:5432/atrium",
  ATRIUM_MASTER_KEY: "ab".repeat(32),
  ATRIUM_BOOTSTRAP_TOKEN: `ct_${"a".repeat(43)}`
}

/** The sentence with which a service refuses to start with such variables; `null` = it takes them. */
const refusalOf = (env: Readonly<Record<string, string>>): Promise<string | null> =>
  Effect.runPromise(
    readServiceConfig.pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
      Effect.as(null),
      Effect.catch(({ message }) => Effect.succeed(message))
    )
  )

test("[deploy.files] each file says in its first lines that it was never run", () => {
  expect(files.length).toBeGreaterThan(4)
  for (const path of [...files, "deploy/Caddyfile"]) {
    const head = textOf(path).split("\n").slice(0, 4).join(" ")
    expect([path, head]).toEqual([path, expect.stringMatching(/never run|was run/)])
  }
})

test("[deploy.files] each variable that a file sets is one of docs/operations.md", () => {
  const told = textOf("docs/operations.md")
  const set = [...files, "deploy/Caddyfile"].flatMap((path) =>
    [...textOf(path).matchAll(/\b(ATRIUM_[A-Z_]+|DATABASE_URL)\b/g)].map(([name]) => name)
  )
  const unknown = new Set(set.filter((name) => !told.includes(`| \`${name}\``)))
  // The name of the site, which only Caddy reads.
  expect([...unknown]).toEqual(["ATRIUM_DOMAIN"])
})

describe("deploy/compose.yaml", () => {
  const compose = parse(textOf("deploy/compose.yaml"), { merge: true })
  const names = ["runner-1", "runner-2", "runner-3"]

  test("[deploy.compose] fits the schema of the Compose specification", () => {
    expect(composeFaults(compose)).toEqual([])
  })

  test("[deploy.compose] runs three runners, each with its own address and the same secrets", () => {
    expect(Object.keys(compose.services)).toEqual([...names, "caddy", "postgres", "s3"])
    for (const name of names) {
      const { environment, ...runner } = compose.services[name]
      const { ATRIUM_RUNNER_ADDRESS: address, ...shared } = environment
      expect(address).toBe(`${name}:8788`)
      expect(shared).toEqual(compose["x-environment"])
      // Without it a runner that others reach by its name does not start.
      expect(shared.ATRIUM_LINK_LISTEN).toBe("0.0.0.0:8789")
      expect(runner.cap_add.toSorted()).toEqual(rights)
      expect([runner.cap_drop, runner.read_only, runner.stop_grace_period]).toEqual([
        ["ALL"],
        true,
        "30s"
      ])
    }
  })

  test.each(names)("[deploy.compose] the service takes the environment of %s", async (name) => {
    const { environment } = compose.services[name]
    const given = { ...environment, ...secrets, ATRIUM_OBJECTS_SECRET_KEY: "word" }
    expect(await refusalOf(given)).toBeNull()
  })

  test("[deploy.compose] PostgreSQL is that of docker-compose.yml, and has room for every pool", () => {
    const { image, command } = compose.services.postgres
    expect(image).toBe(parse(textOf("docker-compose.yml")).services.postgres.image)
    const [, most] = /^max_connections=(\d+)$/.exec(command.at(-1)) ?? []
    const each = Number(compose["x-environment"].ATRIUM_DATABASE_CONNECTIONS)
    expect(names.length * each + 3).toBeLessThanOrEqual(Number(most))
  })

  test("[deploy.compose] the S3 is the one that the runners ask, and it keeps the bucket", () => {
    const { environment, volumes } = compose.services.s3
    const shared = compose["x-environment"]
    const { port, hostname, pathname } = new URL(shared.ATRIUM_OBJECTS_URL)
    expect([hostname, `:${port}`]).toEqual(["s3", environment.VGW_PORT])
    expect(environment.ROOT_ACCESS_KEY).toBe(shared.ATRIUM_OBJECTS_KEY_ID)
    expect(environment.ROOT_SECRET_KEY).toBe(shared.ATRIUM_OBJECTS_SECRET_KEY)
    expect(volumes).toEqual([`objects:/data${pathname}`])
  })

  test("[deploy.compose] Caddy asks each runner, and its network alone is trusted", () => {
    const { ATRIUM_TRUSTED_PROXIES: trusted, PORT: port } = compose["x-environment"]
    expect(compose.networks.inside.ipam.config).toEqual([{ subnet: trusted }])
    const caddyfile = textOf("deploy/Caddyfile")
    const upstreams = names.map((name) => `${name}:${port}`).join(" ")
    expect(caddyfile).toContain(`reverse_proxy ${upstreams} {`)
    expect(caddyfile).toContain("health_uri /ready")
    expect(caddyfile.split("{").length).toBe(caddyfile.split("}").length)
  })
})

describe("deploy/kubernetes", () => {
  const documents = globSync("deploy/kubernetes/*.yaml", { cwd: root })
    .toSorted()
    .flatMap((path) => parseAllDocuments(textOf(path)).map((document) => document.toJS()))
  const kinds = { Deployment, Ingress, NetworkPolicy, PodDisruptionBudget, Service }
  const isKind = (kind: string): kind is keyof typeof kinds => Object.hasOwn(kinds, kind)
  const ofKind = (kind: keyof typeof kinds) => documents.find((each) => each.kind === kind)

  /** The sentence of the schema on what does not fit; `null` = it fits. */
  const faultOf = (document: { readonly kind: string }): string | null => {
    if (!isKind(document.kind)) return `${document.kind} is no kind of these manifests`
    try {
      new kinds[document.kind](Object(document)).validate()
      return null
    } catch (error) {
      return String(error)
    }
  }

  test("[deploy.kubernetes] each manifest fits the schema of its kind", () => {
    expect(documents.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(kinds).toSorted())
    for (const document of documents)
      expect([document.kind, faultOf(document)]).toEqual([document.kind, null])
  })

  test("[deploy.kubernetes] the schemas refuse a wrong type", () => {
    const budget = ofKind("PodDisruptionBudget")
    expect(faultOf({ ...budget, spec: { ...budget.spec, selector: "atrium" } })).not.toBeNull()
    const deployment = ofKind("Deployment")
    expect(faultOf({ ...deployment, spec: { ...deployment.spec, replicas: "3" } })).not.toBeNull()
  })

  // The schemas take unknown keys, as an API server without strict validation does.
  test("[deploy.kubernetes] each key is one that Kubernetes has", () => {
    const models = dirname(
      createRequire(import.meta.url).resolve("@kubernetes-models/apimachinery/package.json")
    )
    const schemas = [
      ...globSync("node_modules/kubernetes-models/_schemas/IoK8sApi*V1[A-Z]*.js", {
        cwd: root
      }).map(textOf),
      ...globSync("_schemas/*.js", { cwd: models }).map((path) =>
        readFileSync(join(models, path), "utf8")
      )
    ].join("\n")
    const known = new Set([...schemas.matchAll(/data\d*\.(\w+)/g)].map(([, name]) => name))
    const named = new Set(["matchLabels", "labels", "requests", "limits"])
    const keysOf = (value: unknown): ReadonlyArray<string> => {
      if (Array.isArray(value)) return value.flatMap(keysOf)
      if (typeof value !== "object" || value === null) return []
      return Object.entries(value).flatMap(([key, inner]) =>
        named.has(key) ? [key] : [key, ...keysOf(inner)]
      )
    }
    expect(known.size).toBeGreaterThan(500)
    // A selector of a Service has names of labels, which have a domain.
    const keys = new Set(documents.flatMap(keysOf).filter((key) => !key.includes("/")))
    expect(keys.size).toBeGreaterThan(60)
    expect([...keys].filter((key) => !known.has(key))).toEqual([])
    expect(known.has("minAvailble")).toBe(false)
  })

  test("[deploy.kubernetes] a pod has the time to drain, the launcher's rights and no others", () => {
    const { spec } = ofKind("Deployment").spec.template
    const [container] = spec.containers
    const pause = container.lifecycle.preStop.sleep.seconds
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(pause + 30)
    const { capabilities, ...security } = container.securityContext
    expect(capabilities.add.toSorted()).toEqual(rights)
    expect([capabilities.drop, security]).toEqual([
      ["ALL"],
      { runAsUser: 0, allowPrivilegeEscalation: false, readOnlyRootFilesystem: true }
    ])
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe]
    expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(["/health", "/health", "/ready"])
  })

  test("[deploy.kubernetes] the service takes the environment of a pod", async () => {
    const [container] = ofKind("Deployment").spec.template.spec.containers
    const set = container.env.map(({ name, value = "" }: { name: string; value?: string }) => [
      name,
      value.replace("$(POD_IP)", "10.1.2.3")
    ])
    expect(await refusalOf({ ...Object.fromEntries(set), ...secrets })).toBeNull()
  })

  test("[deploy.kubernetes] ports, labels and policies fit together", () => {
    const deployment = ofKind("Deployment")
    const { template, selector, replicas } = deployment.spec
    const [container] = template.spec.containers
    const portOf = (name: string): number =>
      container.ports.find((port: { name: string }) => port.name === name).containerPort
    const variable = (name: string): string =>
      container.env.find((each: { name: string }) => each.name === name).value
    expect(variable("ATRIUM_RUNNER_ADDRESS")).toBe(`$(POD_IP):${portOf("runner")}`)
    expect(variable("ATRIUM_LINK_LISTEN")).toBe(`0.0.0.0:${portOf("link")}`)
    expect(variable("ATRIUM_PRIVATE_ADDRESS")).toBe(`0.0.0.0:${portOf("private")}`)
    const policy = ofKind("NetworkPolicy").spec
    const opened = policy.ingress.flatMap(({ ports }: { ports: ReadonlyArray<{ port: number }> }) =>
      ports.map(({ port }) => port)
    )
    expect(opened).toEqual(["http", "runner", "link", "private"].map(portOf))
    expect(policy.egress[0].ports).toEqual(policy.ingress[1].ports)
    for (const labels of [
      template.metadata.labels,
      ofKind("Service").spec.selector,
      ofKind("PodDisruptionBudget").spec.selector.matchLabels,
      policy.podSelector.matchLabels
    ]) {
      expect(labels).toEqual(selector.matchLabels)
    }
    // PostgreSQL's default has room for the pools of all runners.
    expect(replicas * Number(variable("ATRIUM_DATABASE_CONNECTIONS")) + 3).toBeLessThanOrEqual(100)
  })
})

test("[deploy.systemd] the unit starts the launcher with its four rights, and waits for the rooms", () => {
  const unit = textOf("deploy/atrium.service")
  const valueOf = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? ""
  const [node, launcher = "", user, service = ""] = valueOf("ExecStart").split(" ")
  expect(node).toBe(`${valueOf("WorkingDirectory")}/node_modules/.bin/node`)
  expect([launcher, service].map((path) => existsSync(join(root, path)))).toEqual([true, true])
  expect(user).toMatch(/^--user=\d+$/)
  expect(valueOf("CapabilityBoundingSet").split(" ")).toEqual(rights.map((name) => `CAP_${name}`))
  expect(Number(valueOf("TimeoutStopSec"))).toBeGreaterThanOrEqual(30)
  expect(valueOf("KillMode")).toBe("mixed")
})
