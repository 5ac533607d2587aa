# Takes the place of apache/skywalking-satellite: same executable, paths, ports and environment. docs/operations/container.md

FROM node:20-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build && npm prune --omit=dev

FROM node:20-slim
WORKDIR /skywalking
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY package.json LICENSE ./
COPY bin bin
COPY configs configs
RUN ln -s /skywalking/bin/satellite /skywalking-satellite
# The user node, by number, so that Kubernetes can see that it is not root
USER 1000:1000
EXPOSE 11800 1234
# For Docker and Compose; Kubernetes has its own probes
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s \
  CMD ["node", "-e", "require('node:net').connect(11800).on('connect', () => process.exit(0)).on('error', () => process.exit(1))"]
# Not that of node's image, which would take an unknown word for a script of node
ENTRYPOINT []
CMD ["/skywalking-satellite", "start"]
