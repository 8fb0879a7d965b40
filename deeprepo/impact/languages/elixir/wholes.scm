; when: defstruct
(_ target: (identifier) @word (arguments . (alias) @owner) (do_block (_ target: (identifier) @struct (arguments . [
    (list [(atom) @may.build (keywords (_ key: (_) @may.build))])
    (keywords (_ key: (_) @may.build))])))
  (#eq? @word "defmodule") (#eq? @struct "defstruct"))
(_ target: (identifier) @word (arguments . (alias) @owner) (do_block (_ target: (identifier) @struct (arguments . [
    (list [(binary_operator) (unary_operator) (call) (identifier) (tuple)] @unlisted)
    (binary_operator) @unlisted (unary_operator) @unlisted (call) @unlisted (identifier) @unlisted])))
  (#eq? @word "defmodule") (#eq? @struct "defstruct"))
(_ target: (identifier) @word (arguments . (alias) @owner) (do_block (_ operator: "@" operand: (_ target: (identifier) @enforce (arguments . (list (atom) @asks.build)))))
  (#eq? @word "defmodule") (#eq? @enforce "enforce_keys"))
; when: %
(map (struct [(alias) (identifier)] @of)) @whole.build
(map (struct) (map_content (keywords (_ key: (_) @part)))) @whole.build
(map (struct) (map_content (binary_operator operator: "|" right: (keywords (_ key: (_) @part))) @rest)) @whole.build
(map (struct) (map_content [(unary_operator) (call) (binary_operator operator: "=>")] @rest)) @whole.build
; when: callback
(_ target: (identifier) @word (arguments . (alias) @owner) (do_block (_ operator: "@" operand: (_ target: (identifier) @call (arguments [
    (_ left: (_ target: (identifier) @asks.heir) operator: "::")
    (_ left: (_ left: (_ target: (identifier) @asks.heir) operator: "::") operator: "when")]))))
  (#eq? @word "defmodule") (#any-of? @call "callback" "macrocallback"))
(_ operator: "@" operand: (_ target: (identifier) @word (arguments [(keywords (_ key: (_) @provided.name)) (list (keywords (_ key: (_) @provided.name)))])) (#eq? @word "optional_callbacks"))
; when: defprotocol
(_ target: (identifier) @word (arguments . (alias) @owner) (do_block (_ target: (identifier) @def (arguments . (_ target: (identifier) @asks.heir))))
  (#eq? @word "defprotocol") (#eq? @def "def"))
; when: behaviour
(_ target: (identifier) @word (arguments . (alias) @name) (do_block (_ operator: "@" operand: (_ target: (identifier) @sets (arguments . (alias) @of)))) @all
  (#eq? @word "defmodule") (#eq? @sets "behaviour")) @whole.heir
(_ target: (identifier) @word (arguments . (alias)) (do_block (_ target: (identifier) @def (arguments . [
    (identifier) @part (_ target: (identifier) @part) (_ left: [(identifier) @part (_ target: (identifier) @part)] operator: "when")])))
  (#eq? @word "defmodule") (#any-of? @def "def" "defdelegate" "defmacro")) @whole.heir
; what another macro defines nobody writes
(_ target: (identifier) @word (arguments . (alias)) (do_block [(_ target: (identifier) @rest) (_ target: (dot) @rest)])
  (#eq? @word "defmodule") (#not-match? @rest "^(def(p|macrop?|delegate|struct|guardp?|exception|overridable|module)?|alias|import|require)$")) @whole.heir
; when: defimpl
(_ target: (identifier) @word (arguments . (alias) @of) (do_block) @all (#eq? @word "defimpl")) @whole.heir
(_ target: (identifier) @word (arguments . (alias)) (do_block (_ target: (identifier) @def (arguments . [
    (identifier) @part (_ target: (identifier) @part) (_ left: [(identifier) @part (_ target: (identifier) @part)] operator: "when")])))
  (#eq? @word "defimpl") (#any-of? @def "def" "defdelegate" "defmacro")) @whole.heir
(_ target: (identifier) @word (arguments . (alias)) (do_block [(_ target: (identifier) @rest) (_ target: (dot) @rest)])
  (#eq? @word "defimpl") (#not-match? @rest "^(def(p|macrop?|delegate|struct|guardp?|exception|overridable|module)?|alias|import|require)$")) @whole.heir
