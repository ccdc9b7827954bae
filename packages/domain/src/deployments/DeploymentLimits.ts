import { KiB, MiB, SecondMs, MinuteMs, count, size, span } from "@atrium/wire/limits/Limit"

/** Deployments and the folders that `atrium dev` holds. */
export const DeploymentLimits = {
  devLease: span("Time that `atrium dev` has a project without renewing its lease (C-227)", {
    ms: 6000,
    per: "project",
    past: "another folder may take it"
  }),
  devFolderChars: count("Characters of the folder that has a project under `atrium dev`", {
    max: 1024,
    per: "lease",
    past: "E_BAD_REQUEST"
  }),
  devHolderChars: count("Characters of the id of one run of `atrium dev`", {
    max: 64,
    per: "lease",
    past: "E_BAD_REQUEST"
  }),
  deploysAtOnce: count("Deployments that are uploaded or described at once; one of each project", {
    max: 2,
    per: "service",
    past: "the next one waits"
  }),
  deploysWaiting: count("Deployments that wait until others are done", {
    max: 32,
    per: "service",
    past: "E_NOT_READY"
  }),
  projectDeploysWaiting: count("Deployments of a project that wait until others are done", {
    max: 4,
    per: "project",
    past: "E_NOT_READY"
  }),
  deployWait: span("Time that a deployment waits until others are done", {
    ms: 30 * SecondMs,
    per: "deployment",
    past: "E_NOT_READY"
  }),
  deployUpload: span("Time to send a bundle, from the moment on that it is read", {
    ms: MinuteMs,
    per: "deployment",
    past: "408 E_BAD_REQUEST"
  }),
  deploySettingsBytes: size("Settings that a deployment brings with its bundle (C-321)", {
    max: 128 * KiB,
    per: "deployment",
    past: "E_BAD_REQUEST"
  }),
  bundleStored: span("Time for the store to take a bundle", {
    ms: 30 * SecondMs,
    per: "deployment",
    past: "E_NOT_READY"
  }),
  deploymentsRead: count("Deployments whose rows are kept in memory", {
    max: 1024,
    per: "runner",
    past: "the one that was read longest ago is read again"
  }),
  bundlesReadBytes: size("Room bundles kept in memory", {
    max: 64 * MiB,
    per: "runner",
    past: "the one that was read longest ago is read again"
  })
} as const
