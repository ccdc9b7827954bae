import {
  GiB,
  HourMs,
  KiB,
  MiB,
  MinuteMs,
  SecondMs,
  count,
  size,
  span
} from "@atrium/wire/limits/Limit"

/** Static sites: what they hold, how they are uploaded and how they are served. */
export const SiteLimits = {
  // What a site holds. Source: D-40, C-355.
  siteFiles: count("Files of a site", { max: 10_000, per: "site", past: "E_BAD_REQUEST" }),
  siteFileBytes: size("File of a site", { max: 25 * MiB, per: "file", past: "E_BAD_REQUEST" }),
  siteBytes: size("All files of a site", { max: 512 * MiB, per: "site", past: "E_BAD_REQUEST" }),
  sitePathBytes: size("Path of a file, in UTF-8", {
    max: 1024,
    per: "file",
    past: "E_BAD_REQUEST"
  }),
  siteLabelChars: count("Characters of a site's label", {
    max: 63,
    per: "site",
    past: "E_BAD_REQUEST"
  }),

  // Uploads.
  siteManifestBytes: size("List of the files of an upload, with the settings", {
    max: 4 * MiB,
    per: "request",
    past: "E_BODY_TOO_LARGE"
  }),
  siteManifestCommas: count("Commas in the list of the files of an upload", {
    max: 60_000,
    per: "request",
    past: "E_BAD_REQUEST"
  }),
  siteUploads: count("Uploads of a project that are not finished", {
    max: 4,
    per: "project",
    past: "the oldest of them is forgotten"
  }),
  siteStoredBytes: size("Files of a project's site, of its uploads, and of sites just replaced", {
    max: 2 * GiB,
    per: "project",
    past: "E_UPLOADS_FULL"
  }),
  siteUploadLife: span("Time to finish an upload", {
    ms: HourMs,
    per: "upload",
    past: "E_UPLOAD_NOT_FOUND"
  }),
  siteBodies: count("Files of a project that are received at once", {
    max: 16,
    per: "project and runner",
    past: "the next one waits"
  }),
  siteBodiesBytes: size("Files that are received at once", {
    max: 64 * MiB,
    per: "runner",
    past: "the next one waits"
  }),
  siteBodiesWaiting: count("Files and lists of files that wait to be received", {
    max: 256,
    per: "runner",
    past: "E_NOT_READY"
  }),
  siteProjectBodiesWaiting: count("Files and lists of a project that wait to be received", {
    max: 64,
    per: "project and runner",
    past: "E_NOT_READY"
  }),
  siteBodyWait: span("Time that a file waits to be received", {
    ms: 30 * SecondMs,
    per: "request",
    past: "E_NOT_READY"
  }),
  siteBody: span("Time to send a file, from the moment on that it is read", {
    ms: 2 * MinuteMs,
    per: "request",
    past: "408 E_BAD_REQUEST"
  }),
  siteStored: span("Time to compress and store a file, and to switch a site", {
    ms: 30 * SecondMs,
    per: "request",
    past: "E_NOT_READY"
  }),
  siteCompressedFrom: size("Largest file that is never compressed", {
    max: KiB,
    per: "file",
    past: "it is compressed at its upload, if its type is text and it becomes smaller"
  }),
  siteStores: count("Files that are written to the store at once", {
    max: 3,
    per: "runner",
    past: "the next one waits"
  }),
  siteCompressions: count("Files that are compressed at once", {
    max: 2,
    per: "runner",
    past: "the next one waits"
  }),
  siteUnused: span("Time that content is kept which no site and no upload has any more", {
    ms: 5 * MinuteMs,
    per: "content",
    past: "it is removed; answers that were under way have ended"
  }),
  siteSweep: span("Time between two looks for uploads that were not finished", {
    ms: MinuteMs,
    per: "service",
    past: "their content is removed up to this much later"
  }),
  siteSweepBatch: count("Rows that a look removes together", {
    max: 500,
    per: "statement",
    past: "the next statement removes them"
  }),
  siteSweepBatches: count("Statements of one look", {
    max: 100,
    per: "look",
    past: "the next look goes on"
  }),

  // How sites are served.
  siteIndexFiles: count("Files of sites whose names are kept in memory", {
    max: 100_000,
    per: "runner",
    past: "the site that was asked for longest ago is read again"
  }),
  siteStalled: span("Time in which a visitor takes nothing of an answer", {
    ms: MinuteMs,
    per: "answer",
    past: "the connection is cut off"
  }),
  siteIndexReads: count("Lists of files that are read from the store at once", {
    max: 2,
    per: "runner",
    past: "the next one waits"
  }),
  sitePieceBytes: size("Piece of a file that is read from the store at once", {
    max: 128 * KiB,
    per: "answer",
    past: "the next piece is read when the client has taken this one"
  }),
  sitePiecesBytes: size("Pieces of files that are kept in memory", {
    max: 32 * MiB,
    per: "runner",
    past: "the one that was asked for longest ago is read again"
  }),
  sitePorts: count("Ports that a service opens for sites", {
    max: 1000,
    per: "service",
    past: "the service does not start"
  })
} as const
