// Compiles many folders in one virtual machine: `java Judge.java LIST` reads folders from LIST, one a line, and prints
// "FOLDER<tab>ERROR" for each error of javac.

import com.sun.source.util.JavacTask;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

class Judge {
    public static void main(String[] words) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
        manager.setLocation(StandardLocation.CLASS_PATH, List.of());
        for (String folder : Files.readAllLines(Path.of(words[0]))) {
            DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
            try (var paths = Files.walk(Path.of(folder))) {
                List<File> sources =
                        paths.map(Path::toFile).filter(one -> one.getName().endsWith(".java")).collect(Collectors.toList());
                var units = manager.getJavaFileObjectsFromFiles(sources);
                var task = compiler.getTask(null, manager, found, List.of("-proc:none", "-nowarn"), null, units);
                ((JavacTask) task).analyze();
            }
            found.getDiagnostics().stream()
                    .filter(one -> one.getKind() == Diagnostic.Kind.ERROR)
                    .forEach(one -> System.out.println(folder + "\t" + one.toString().replace("\n", " ")));
        }
    }
}
