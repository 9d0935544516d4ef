# Homebrew formula of the program. The release workflow fills in the address, the version and the checksum.
class Textveil < Formula
  desc "Finds personal data in text, validates it and protects it"
  homepage "@HOMEPAGE@"
  url "@URL@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on arch: :x86_64
  depends_on :linux

  def install
    libexec.install Dir["*"]
    # the program looks for its engine beside itself
    bin.install_symlink libexec/"dist/textveil"
  end

  test do
    assert_match "valid pesel", shell_output("#{bin}/textveil validate pesel 44051401359")
    assert_equal "PESEL [REDACTED]\n", pipe_output("#{bin}/textveil protect", "PESEL 44051401359\n", 0)
  end
end
